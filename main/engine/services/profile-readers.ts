import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import type { LocalServiceName } from './service-definitions.ts'

/** Read by the platform itself. */
const PLAIN = new Set(['.md', '.markdown', '.txt', '.text'])
const SPOKEN = new Set(['.wav', '.mp3', '.flac', '.ogg', '.opus', '.m4a', '.webm'])

/** Services without which the platform could not read some file of a profile's corpus. */
export async function readersOf(root: string, { corpus, parser_order }: IngestionProfile): Promise<LocalServiceName[]> {
  const names = await readdir(join(root, 'corpus', corpus.path), { recursive: true }).catch(() => [])
  const endings = new Set(names.map((name) => extname(name).toLowerCase()))
  const isSpoken = [...endings].some((ending) => SPOKEN.has(ending))
  const isOther = [...endings].some((ending) => ending !== '' && !SPOKEN.has(ending) && !PLAIN.has(ending))
  return [
    ...(isOther && parser_order.includes('converter') ? (['converter'] as const) : []),
    ...(isSpoken && parser_order.includes('speech') ? (['stt'] as const) : []),
  ]
}
