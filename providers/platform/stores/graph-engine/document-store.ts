import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { ExtractionHealth } from '../../../../contract/evidence/derivation.ts'
import type { GraphDocumentStatus, GraphPageRequest } from '../../../../contract/http/graph-documents.ts'
import type { Extraction } from '../../models/prompts/extract-task.ts'
import { truncateLog } from '../database/truncate-log.ts'
import { createDeferredSync, packed, unpacked } from './database.ts'
import { chunkId } from './stored-graph.ts'
import { documentDigest, extractionDigest } from './stored-digests.ts'
import type {
  StoredDocument,
  StoredChunk,
  ExtractedChunk,
  DocumentChunk,
  ChunkExtraction,
  ChunkRange,
} from './stored-graph.ts'

export interface NewDocument {
  id: string
  filePath: string
  title: string
  content: string
  trackId: string
  extractModel: string
  chunks: readonly DocumentChunk[]
}

const SUMMARY_CHARS = 250

const COLUMNS = `id, file_path AS filePath, title, status, track_id AS trackId, error, extract_model AS extractModel,
  created_ms AS createdMs, updated_ms AS updatedMs, length(content) AS contentLength, substr(content, 1, ${SUMMARY_CHARS}) AS summary,
  (SELECT count(*) FROM chunks WHERE document_id = documents.id) AS chunks,
  (SELECT count(*) FROM chunks JOIN extractions ON chunk_id = chunks.id WHERE document_id = documents.id) AS extracted`

/** The queue: each document's text, chunks and state. Every method is one transaction. */
export interface DocumentStore {
  find(id: string): StoredDocument | null
  /** Documents inserted under this path. */
  atPath(filePath: string): StoredDocument[]
  ofTrack(trackId: string): StoredDocument[]
  /** Ids of documents that have failed, in the order of the queue. */
  failedIds(): string[]
  /** Ids of documents whose path is not among these. */
  idsElsewhere(filePaths: ReadonlySet<string>): string[]
  page(request: GraphPageRequest): StoredDocument[]
  counts(): Record<GraphDocumentStatus, number>
  /** Returns true when any document is in this state, at once however many there are. */
  has(status: GraphDocumentStatus): boolean
  /** Records of what extracted the processed documents, with how many it read each. */
  extractors(): { extractModel: string; documents: number }[]
  /** Digest of the processed documents with their paths and extraction models. */
  digest(): string
  /** Adds a document to the end of the queue and removes those in `replaced`. */
  add(document: NewDocument, replaced: readonly string[], nowMs: number): void
  /** Runs several changes as one transaction. */
  together<Result>(changes: () => Result): Result
  /** Gives a document another path and title. */
  rename(id: string, filePath: string, title: string, nowMs: number): void
  /** Puts a known document into the queue again; what was extracted from it stays. */
  requeue(id: string, trackId: string, nowMs: number): void
  /** Claims up to `limit` pending documents, oldest first, and marks them as processing. */
  claim(limit: number, nowMs: number): StoredDocument[]
  /** Ends the processing of documents; those that are in another state stay as they are. */
  end(ids: readonly string[], status: 'processed' | 'failed', error: string | null, nowMs: number): void
  /** Fails all documents that are pending or in progress. */
  failOpen(error: string, nowMs: number): void
  /** Puts back to pending what a crash left in processing. */
  recover(nowMs: number): void
  remove(ids: readonly string[]): number
  clear(): number
  /** Empties the write-ahead log of the file; called when no more writes are to be expected. */
  truncateLog(): void
}

/** The document tables of an open engine file. */
export function createDocumentStore(database: Database): DocumentStore {
  const rows = (where: string) =>
    database.prepare<unknown[], StoredDocument>(`SELECT ${COLUMNS} FROM documents ${where}`)
  const byId = rows('WHERE id = ?')
  const byPath = rows('WHERE file_path = ? ORDER BY sequence')
  const byTrack = rows('WHERE track_id = ? ORDER BY sequence')
  const failed = database
    .prepare<[], string>(`SELECT id FROM documents WHERE status = 'failed' ORDER BY sequence`)
    .pluck()
  const paths = database.prepare<[], { id: string; filePath: string }>(
    'SELECT id, file_path AS filePath FROM documents',
  )
  const pending = rows(`WHERE status = 'pending' ORDER BY sequence LIMIT ?`)
  const insertDocument = database.prepare(`INSERT INTO documents
    (id, file_path, title, content, status, track_id, error, extract_model, sequence, created_ms, updated_ms, digest)
    VALUES (@id, @filePath, @title, @content, 'pending', @trackId, NULL, @extractModel, @sequence, @nowMs, @nowMs, @digest)`)
  const insertChunk = database.prepare(`INSERT INTO chunks
    (id, document_id, chunk_index, start_char, end_char, tokens)
    VALUES (@id, @documentId, @index, @startChar, @endChar, @tokens)`)
  // Counted here, since this process alone adds documents: a query for the highest one would read all of them.
  let sequence = database.prepare<[], number>('SELECT coalesce(max(sequence), 0) FROM documents').pluck().get()!
  const requeue = database.prepare(`UPDATE documents SET status = 'pending', error = NULL, track_id = @trackId,
    updated_ms = @nowMs WHERE id = @id`)
  const rename = database.prepare(
    'UPDATE documents SET file_path = ?, title = ?, updated_ms = ?, digest = ? WHERE id = ?',
  )
  const ranges = database.prepare<[string], ChunkRange>(`SELECT chunk_index AS "index", start_char AS startChar,
    end_char AS endChar, tokens FROM chunks WHERE document_id = ? ORDER BY chunk_index`)
  const setStatus = database.prepare(
    'UPDATE documents SET status = ?, error = ?, updated_ms = ? WHERE id = ? AND status = ?',
  )
  const remove = database.prepare('DELETE FROM documents WHERE id = ?')
  const countByStatus = database.prepare<[], { status: GraphDocumentStatus; count: number }>(
    'SELECT status, count(*) AS count FROM documents GROUP BY status',
  )

  const extractors = database.prepare<[], { extractModel: string; documents: number }>(
    `SELECT extract_model AS extractModel, count(*) AS documents FROM documents WHERE status = 'processed'
     GROUP BY extract_model ORDER BY documents DESC, extract_model`,
  )

  const hasStatus = database
    .prepare<[GraphDocumentStatus], 0 | 1>('SELECT EXISTS (SELECT 1 FROM documents WHERE status = ?)')
    .pluck()
  const totalChanges = database.prepare<[], number>('SELECT total_changes()').pluck()
  const processed = database
    .prepare<[], unknown[]>(
      `SELECT id, file_path, title, extract_model FROM documents WHERE status = 'processed' ORDER BY id`,
    )
    .raw()
  let digested = { changes: -1, digest: '' }

  const removeAll = (ids: readonly string[]) => ids.reduce((sum, id) => sum + remove.run(id).changes, 0)
  const atomically = <Result>(step: () => Result): Result => database.transaction(step).immediate()
  const deferSync = createDeferredSync(database)

  return {
    find: (id) => byId.get(id) ?? null,
    atPath: (filePath) => byPath.all(filePath),
    ofTrack: (trackId) => byTrack.all(trackId),
    failedIds: () => failed.all(),
    idsElsewhere: (filePaths) =>
      paths
        .all()
        .filter(({ filePath }) => !filePaths.has(filePath))
        .map(({ id }) => id),
    together: (changes) => atomically(changes),
    page(request) {
      const direction = request.sort_direction === 'asc' ? 'ASC' : 'DESC'
      const order = { created_at: 'created_ms', updated_at: 'updated_ms', id: 'id', file_path: 'file_path' }[
        request.sort_field
      ]
      const filter = request.status_filter ?? null
      return rows(
        `WHERE (? IS NULL OR status = ?) ORDER BY ${order} ${direction}, sequence ${direction} LIMIT ? OFFSET ?`,
      ).all(filter, filter, request.page_size, (request.page - 1) * request.page_size)
    },
    counts() {
      const counts = { pending: 0, processing: 0, processed: 0, failed: 0 }
      for (const { status, count } of countByStatus.all()) counts[status] = count
      return counts
    },
    has: (status) => hasStatus.get(status) === 1,
    extractors: () => extractors.all(),
    digest() {
      const changes = totalChanges.get()!
      if (changes !== digested.changes) {
        const hash = createHash('sha256')
        for (const row of processed.iterate()) hash.update(JSON.stringify(row))
        digested = { changes, digest: hash.digest('hex') }
      }
      return digested.digest
    },
    add(document, replaced, nowMs) {
      atomically(() => {
        removeAll(replaced)
        const { chunks, ...fields } = document
        sequence += 1
        insertDocument.run({ ...fields, sequence, nowMs, digest: documentDigest(document, chunks) })
        for (const { index, startChar, endChar, tokens } of chunks) {
          const id = chunkId(document.id, index)
          insertChunk.run({ id, documentId: document.id, index, startChar, endChar, tokens })
        }
      })
    },
    rename: (id, filePath, title, nowMs) =>
      void rename.run(filePath, title, nowMs, documentDigest({ id, filePath, title }, ranges.all(id)), id),
    requeue: (id, trackId, nowMs) => void requeue.run({ id, trackId, nowMs }),
    claim(limit, nowMs) {
      const take = () => {
        const taken = pending.all(limit)
        for (const { id } of taken) setStatus.run('processing', null, nowMs, id, 'pending')
        return taken.map((document) => ({ ...document, status: 'processing' as const, updatedMs: nowMs }))
      }
      return deferSync(() => atomically(take))
    },
    end: (ids, status, error, nowMs) =>
      atomically(() => {
        for (const id of ids) setStatus.run(status, error, nowMs, id, 'processing')
      }),
    failOpen: (error, nowMs) =>
      void database
        .prepare(
          `UPDATE documents SET status = 'failed', error = ?, updated_ms = ? WHERE status IN ('pending', 'processing')`,
        )
        .run(error, nowMs),
    recover: (nowMs) =>
      void database
        .prepare(`UPDATE documents SET status = 'pending', updated_ms = ? WHERE status = 'processing'`)
        .run(nowMs),
    remove: (ids) => atomically(() => removeAll(ids)),
    clear: () => atomically(() => database.prepare('DELETE FROM documents').run().changes),
    truncateLog: () => truncateLog(database),
  }
}

/** Chunks and what was extracted from them. */
export interface ExtractionStore {
  /** A document's chunks that have no extraction yet, in order. */
  missing(documentId: string): StoredChunk[]
  /** Stores a chunk's extraction once; false when its document was removed. */
  save(chunkId: string, extraction: ChunkExtraction): boolean
  /** Documents that are processed and these, by path: the order does not depend on when they arrived. */
  readable(alsoDocuments: readonly string[]): string[]
  /** The extracted chunks of one document, in order, a few of them read at a time. */
  extracted(documentId: string): Iterable<ExtractedChunk>
  progress(): { chunks: number; extracted: number }
  /** Returns how the extraction of all documents went. A failed document counts as one chunk whose reply could not be used: it ends with the first. */
  health(): ExtractionHealth
}

type ChunkRow = Omit<StoredChunk, 'content'> & { startChar: number; endChar: number }

const CHUNK = `chunks.id, document_id AS documentId, file_path AS filePath, title, chunk_index AS "index", tokens,
  start_char AS startChar, end_char AS endChar`

/** Extractions in one read. */
const CHUNKS_AT_ONCE = 32

/** The chunk tables of an open engine file. */
export function createExtractionStore(database: Database): ExtractionStore {
  const missing = database.prepare<[string], ChunkRow>(`SELECT ${CHUNK} FROM chunks
    JOIN documents ON documents.id = document_id LEFT JOIN extractions ON chunk_id = chunks.id
    WHERE document_id = ? AND chunk_id IS NULL ORDER BY chunk_index`)
  const save = database.prepare(`INSERT OR IGNORE INTO extractions
    (chunk_id, extraction, digest, entities, dropped, truncated) SELECT id, ?, ?, ?, ?, ? FROM chunks WHERE id = ?`)
  const exists = database.prepare<[string], number>('SELECT count(*) FROM extractions WHERE chunk_id = ?').pluck()
  const text = database.prepare<[string], string>('SELECT content FROM documents WHERE id = ?').pluck()
  const readable = database
    .prepare<[string], string>(
      `SELECT id FROM documents WHERE status = 'processed' OR id IN (SELECT value FROM json_each(?)) ORDER BY file_path, id`,
    )
    .pluck()
  const extracted = database.prepare<
    [string, number, number],
    ChunkRow & { extraction: Buffer }
  >(`SELECT ${CHUNK}, extraction
    FROM chunks JOIN documents ON documents.id = document_id JOIN extractions ON chunk_id = chunks.id
    WHERE document_id = ? AND chunk_index > ? ORDER BY chunk_index LIMIT ?`)
  const deferSync = createDeferredSync(database)
  const progress = database.prepare<[], { chunks: number; extracted: number }>(`SELECT
    (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM extractions) AS extracted`)

  const health = database.prepare<[], ExtractionHealth>(`WITH
    read AS (SELECT count(*) AS parsed, coalesce(sum(entities = 0), 0) AS empty, coalesce(sum(truncated), 0) AS truncated,
      coalesce(sum(dropped), 0) AS dropped FROM extractions),
    refused AS (SELECT count(*) AS documents FROM documents WHERE status = 'failed'),
    processed AS (SELECT count(*) AS documents, coalesce(sum((SELECT coalesce(sum(entities), 0) FROM chunks JOIN extractions
      ON chunk_id = chunks.id WHERE document_id = documents.id) = 0), 0) AS without FROM documents WHERE status = 'processed')
    SELECT parsed + refused.documents AS chunks_sent, parsed AS chunks_parsed, empty AS chunks_empty, truncated AS chunks_truncated,
      refused.documents AS chunks_refused, dropped AS items_dropped, processed.documents AS documents,
      without AS documents_without_entity FROM read, refused, processed`)

  function withContent<Row extends ChunkRow>(documentId: string, rows: readonly Row[]) {
    const content = rows.length === 0 ? '' : text.get(documentId)!
    return rows.map(({ startChar, endChar, ...row }) => ({ ...row, content: content.slice(startChar, endChar) }))
  }

  return {
    missing: (documentId) => withContent(documentId, missing.all(documentId)),
    save(chunkId, { entities, relations, dropped, truncated }) {
      const bytes = packed(JSON.stringify({ entities, relations } satisfies Extraction))
      const read = [extractionDigest(chunkId, bytes), entities.length, dropped, truncated ? 1 : 0]
      return deferSync(() => save.run(bytes, ...read, chunkId)).changes === 1 || exists.get(chunkId) === 1
    },
    readable: (alsoDocuments) => readable.all(JSON.stringify(alsoDocuments)),
    *extracted(documentId) {
      const content = text.get(documentId) ?? ''
      for (let after = -1; ;) {
        const rows = extracted.all(documentId, after, CHUNKS_AT_ONCE)
        for (const { startChar, endChar, extraction, ...row } of rows)
          yield {
            ...row,
            content: content.slice(startChar, endChar),
            extraction: withSharedTexts(JSON.parse(unpacked(extraction)) as Extraction),
          }
        if (rows.length < CHUNKS_AT_ONCE) return
        after = rows.at(-1)!.index
      }
    },
    progress: () => progress.get()!,
    health: () => health.get()!,
  }
}

/** Several parts are described by one sentence; the parser makes a copy for each, and the graph would keep them all in memory. */
function withSharedTexts(extraction: Extraction): Extraction {
  const shared = new Map<string, string>()
  for (const part of [...extraction.entities, ...extraction.relations]) {
    const known = shared.get(part.description)
    if (known === undefined) shared.set(part.description, part.description)
    else part.description = known
  }
  return extraction
}
