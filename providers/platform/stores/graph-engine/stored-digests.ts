import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { createPauses } from './sliced-work.ts'
import type { ChunkRange, VectorRow } from './stored-graph.ts'
import { documentId } from './stored-graph.ts'

const digest = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length} `).update(part)
  return hash.digest('hex').slice(0, 32)
}

/** Digest of a document beside its text, which its id is a digest of. */
export const documentDigest = (
  { id, filePath, title }: { id: string; filePath: string; title: string },
  chunks: readonly ChunkRange[],
): string =>
  digest(
    JSON.stringify([
      id,
      filePath,
      title,
      ...chunks.map(({ index, startChar, endChar, tokens }) => [index, startChar, endChar, tokens]),
    ]),
  )

export const extractionDigest = (chunkId: string, extraction: Buffer): string => digest(chunkId, extraction)

export const vectorDigest = (key: bigint, { vector, packed }: VectorRow): string => digest(`${key} ${packed}`, vector)

/** Describes what of a file is not as it was written. Rows of earlier versions, which have no digest, count as intact. */
export interface Damage {
  /** Ids of documents whose text, chunks or extractions are damaged. */
  documents: string[]
  /** Ids of rows of the table of vectors. */
  vectors: number[]
}

interface DocumentRow {
  id: string
  filePath: string
  title: string
  content: string
  digest: string
}

/** Ids in one read of the table of vectors. */
const VECTORS_AT_ONCE = 512

/** Compares every row with its digest; other requests get their turn between two chunks. */
export async function findDamage(database: Database, signal?: AbortSignal): Promise<Damage> {
  const ids = database.prepare<[], string>('SELECT id FROM documents ORDER BY sequence').pluck().all()
  const document = database.prepare<[string], DocumentRow>(
    'SELECT id, file_path AS filePath, title, content, digest FROM documents WHERE id = ?',
  )
  const chunks = database.prepare<[string], ChunkRange & { id: string }>(
    `SELECT id, chunk_index AS "index", start_char AS startChar, end_char AS endChar, tokens FROM chunks
     WHERE document_id = ? ORDER BY chunk_index`,
  )
  const extractionOf = database.prepare<[string], { extraction: Buffer; digest: string }>(
    'SELECT extraction, digest FROM extractions WHERE chunk_id = ?',
  )
  const pause = createPauses(signal)
  const areIntact = async (ranges: readonly { id: string }[]): Promise<boolean> => {
    for (const { id } of ranges) {
      await pause()
      const found = extractionOf.get(id)
      if (found !== undefined && extractionDigest(id, found.extraction) !== found.digest) return false
    }
    return true
  }
  const documents: string[] = []
  for (const id of ids) {
    await pause()
    const row = document.get(id)
    if (row === undefined || row.digest === '') continue
    const ranges = chunks.all(id)
    const isIntact =
      documentId(row.content) === id && documentDigest(row, ranges) === row.digest && (await areIntact(ranges))
    if (!isIntact) documents.push(id)
  }
  const some = database
    .prepare<[bigint, number], VectorRow & { id: bigint; key: bigint; digest: string }>(
      'SELECT id, key, vector, packed, digest FROM vectors WHERE id > ? ORDER BY id LIMIT ?',
    )
    .safeIntegers()
  const vectors: number[] = []
  for (let after = 0n; ;) {
    const rows = some.all(after, VECTORS_AT_ONCE)
    for (const row of rows)
      if (row.digest !== '' && vectorDigest(row.key, row) !== row.digest) vectors.push(Number(row.id))
    if (rows.length < VECTORS_AT_ONCE) return { documents, vectors }
    after = rows.at(-1)!.id
    await pause()
  }
}

/** Removes vectors by their row: they are made again when a graph is built. */
export function removeVectors(database: Database, ids: readonly number[]): void {
  const remove = database.prepare('DELETE FROM vectors WHERE id = ?')
  database.transaction(() => ids.forEach((id) => remove.run(id))).immediate()
}
