import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { SERVICES } from '../../../contract/control/service-list.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { OWN_CORPUS, OWN_DATASETS_FOLDER } from '../../../contract/manifests/datasets.ts'
import { withoutCredentials } from '../project/provenance.ts'

/** Read by the platform itself. */
const PLAIN = new Set(['.md', '.markdown', '.txt', '.text'])
const SPOKEN = new Set(['.wav', '.mp3', '.flac', '.ogg', '.opus', '.m4a', '.webm'])

/** The folder below the project that a profile's corpus path names. */
const mountedFolder = (path: string): string =>
  path.startsWith(`${OWN_CORPUS}/`)
    ? join(OWN_DATASETS_FOLDER, path.slice(OWN_CORPUS.length + 1))
    : join('corpus', path)

/** Services without which the platform could not read some file of a profile's corpus. */
export async function readersOf(
  root: string,
  { corpus, parser_order }: IngestionProfile,
): Promise<('converter' | 'stt')[]> {
  const names = await readdir(join(root, mountedFolder(corpus.path)), { recursive: true }).catch(() => [])
  const endings = new Set(names.map((name) => extname(name).toLowerCase()))
  const isSpoken = [...endings].some((ending) => SPOKEN.has(ending))
  const isOther = [...endings].some((ending) => ending !== '' && !SPOKEN.has(ending) && !PLAIN.has(ending))
  return [
    ...(isOther && parser_order.includes('converter') ? (['converter'] as const) : []),
    ...(isSpoken && parser_order.includes('speech') ? (['stt'] as const) : []),
  ]
}

/** Parts of the platform that can be another service, with the variable that names its address. */
const PARTS = {
  'graph-engine': 'GRAPHENGINE_URL',
  plugin: 'RAG_PLUGIN_URL',
  reranker: 'RERANKER_URL',
  'vector-store': 'VECTOR_STORE_URL',
  workflow: 'WORKFLOW_URL',
} as const

/** Names in provenance of the services that read documents. */
const READERS = { converter: 'converter', 'speech-to-text': 'stt' } as const

/**
 * Which service did what for a run: `embedded`, its address, `not needed` where the corpus has no such file, or `unknown` where an external
 * platform chooses.
 */
export async function providerSelection(
  root: string,
  profile: IngestionProfile,
  platform: 'embedded' | 'external',
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Record<string, string>> {
  const addressOf = (variable: string): string => {
    const address = env[variable]
    return address === undefined || address === '' ? 'embedded' : withoutCredentials(address)
  }
  const needed = await readersOf(root, profile)
  const chosen = (choose: () => string): string => (platform === 'external' ? 'unknown' : choose())
  return {
    ...Object.fromEntries(Object.entries(PARTS).map(([part, variable]) => [part, chosen(() => addressOf(variable))])),
    ...Object.fromEntries(
      Object.entries(READERS).map(([part, name]) => [
        part,
        chosen(() => (needed.includes(name) ? addressOf(SERVICES[name].child.endpointVariable) : 'not needed')),
      ]),
    ),
    platform,
  }
}
