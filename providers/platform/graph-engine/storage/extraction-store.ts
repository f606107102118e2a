import type { Database } from 'better-sqlite3'
import type { Extraction } from '../../models/prompts/extract-task.ts'

export interface StoredChunk {
  id: string
  documentId: string
  filePath: string
  title: string
  index: number
  tokens: number
  content: string
}

/** A chunk with what a model found in it. */
export interface ExtractedChunk extends StoredChunk {
  extraction: Extraction
}

/** Chunks and what was extracted from them. */
export interface ExtractionStore {
  /** A document's chunks that have no extraction yet, in order. */
  missing(documentId: string): StoredChunk[]
  /** Keeps a chunk's extraction once; false when the chunk is gone because its document was removed. */
  save(chunkId: string, extraction: Extraction): boolean
  /** The extracted chunks of documents in these states, by path and place: the order does not depend on when they came. */
  extracted(states: readonly string[], alsoDocuments: readonly string[]): ExtractedChunk[]
  progress(): { chunks: number; extracted: number }
}

const CHUNK = `chunks.id, document_id AS documentId, file_path AS filePath, title, chunk_index AS "index", tokens, chunks.content`

/** The chunk tables of an open engine file. */
export function createExtractionStore(database: Database): ExtractionStore {
  const missing = database.prepare<[string], StoredChunk>(`SELECT ${CHUNK} FROM chunks
    JOIN documents ON documents.id = document_id LEFT JOIN extractions ON chunk_id = chunks.id
    WHERE document_id = ? AND chunk_id IS NULL ORDER BY chunk_index`)
  const save = database.prepare(`INSERT OR IGNORE INTO extractions (chunk_id, extraction)
    SELECT id, ? FROM chunks WHERE id = ?`)
  const exists = database.prepare<[string], number>('SELECT count(*) FROM extractions WHERE chunk_id = ?').pluck()
  const extracted = database.prepare<
    [string, string],
    StoredChunk & { extraction: string }
  >(`SELECT ${CHUNK}, extraction
    FROM chunks JOIN documents ON documents.id = document_id JOIN extractions ON chunk_id = chunks.id
    WHERE status IN (SELECT value FROM json_each(?)) OR document_id IN (SELECT value FROM json_each(?))
    ORDER BY file_path, document_id, chunk_index`)
  const progress = database.prepare<[], { chunks: number; extracted: number }>(`SELECT
    (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM extractions) AS extracted`)
  return {
    missing: (documentId) => missing.all(documentId),
    save(chunkId, extraction) {
      return save.run(JSON.stringify(extraction), chunkId).changes === 1 || exists.get(chunkId) === 1
    },
    extracted(states, alsoDocuments) {
      return extracted
        .all(JSON.stringify(states), JSON.stringify(alsoDocuments))
        .map((row) => ({ ...row, extraction: JSON.parse(row.extraction) as Extraction }))
    },
    progress: () => progress.get()!,
  }
}
