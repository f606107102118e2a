import { extname } from 'node:path'
import type { z } from 'zod'
import {
  type DocumentChunks,
  type DocumentChunksInput,
  MAX_TOLD_CHUNKS,
  type PlacedChunk,
} from '../../../contract/control/document-chunks.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { createPlatformClient, PlatformError, type PlatformAddress } from '../../runner/platform/platform-client.ts'
import { SecretsError } from '../../lib/files/private-file.ts'
import { ServiceFailedError } from '../../supervisor/supervised-service.ts'
import { readText } from './corpus-reader.ts'

/** Lists what ingestion reads directly; a service converts everything else into text first. */
const PLAIN_ENDINGS = new Set(['.md', '.txt', '.rst', '.csv', '.json'])
/** The platform's own limit for a text that is cut on request. */
const MAX_CHARACTERS = 1_000_000
const BYTE_ORDER_MARK = '\uFEFF'

type PlacedInput = z.output<typeof DocumentChunksInput>
type Refusal = Extract<DocumentChunks, { ok: false }>
const no = (reason: Refusal['reason'], message: string): Refusal => ({ ok: false, reason, message })

/** Cuts a document as its dataset's ingestion profile or the input defines; the platform does the cutting. Throws `ControlFailure` for a document that is not there. */
export async function documentChunks(
  root: string,
  dataset: LadderDataset,
  input: PlacedInput,
  /** Returns where the platform is; null while a run has it with another dataset. */
  findPlatform: () => Promise<PlatformAddress | null>,
): Promise<DocumentChunks> {
  const { name: profile } = dataset.profile
  const chunker = input.chunker ?? dataset.profile.chunker
  const raw = await readText(root, dataset, input.path)
  if (raw === null || !PLAIN_ENDINGS.has(extname(input.path).toLowerCase()))
    return no('converted', 'a service makes another text of this file at ingestion, and that text is what is cut')
  // Ingestion reads without the mark, the page with it.
  const shift = raw.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const text = raw.slice(shift)
  const head = { ok: true as const, profile, ...chunker }
  if (text.length > MAX_CHARACTERS)
    return no(
      'too_long',
      `the text has ${text.length} characters; the platform cuts up to ${MAX_CHARACTERS} on request`,
    )
  if (text.trim() === '') return toAnswer(head, [], input)
  try {
    const address = await findPlatform()
    if (address === null) return no('busy', 'the platform serves another dataset just now')
    const client = createPlatformClient(address)
    try {
      const { chunks } = await client.chunk({ text, ...chunker })
      const placed = chunks.map(({ index, start_char: start, end_char: end, token_count: tokens }) => ({
        index,
        start: start + shift,
        end: end + shift,
        tokens,
      }))
      return toAnswer(head, placed, input)
    } finally {
      await client.close()
    }
  } catch (error) {
    if (error instanceof PlatformError || error instanceof ServiceFailedError || error instanceof SecretsError)
      return no('unavailable', error.message)
    throw error
  }
}

function toAnswer(
  { strategy, chunk_size, overlap, profile }: { profile: string } & LadderDataset['profile']['chunker'],
  chunks: readonly PlacedChunk[],
  { offset, limit }: PlacedInput,
): DocumentChunks {
  const inside = chunks.filter(({ start, end }) => end > offset && start < offset + limit)
  return {
    ok: true,
    profile,
    strategy,
    chunk_size,
    overlap,
    total: chunks.length,
    chunks: inside.slice(0, MAX_TOLD_CHUNKS),
  }
}
