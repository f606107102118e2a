import { documentId } from './stored-graph.ts'
import { randomBytes } from 'node:crypto'
import type {
  GraphDocStatus,
  GraphDocumentStatus,
  GraphInsertResponse,
  GraphPage,
  GraphPageRequest,
  GraphTrackStatus,
} from '../../../../contract/http/graph-documents.ts'
import { chunkingText } from '../../../../core/chunking/chunk-text.ts'
import { runAtOnce, type SlicedWork } from '../../../../core/sliced-work.ts'
import { runInTurns } from './sliced-work.ts'
import { countTokens } from '../../../../contract/evidence/count-tokens.ts'
import type { DocumentStore } from './document-store.ts'
import type { DocumentChunk, StoredDocument } from './stored-graph.ts'
import { readExtractor } from './extractor.ts'
import type { GraphEngineLimits } from './limits.ts'

export interface DocumentInput {
  /** Of the text, where `splitLongTexts` has split it already. */
  chunks?: readonly DocumentChunk[]
  text: string
  /** Path or name under which the document is known. */
  filePath: string
  title?: string | null
  /** A new text replaces the one stored under this path; without it the text is reported as duplicated. */
  replace?: boolean
}

export interface IntakeDeps {
  documents: DocumentStore
  /** The record of what extracts: texts that were read by anything else are read again. */
  extractModel: string
  limits: Pick<GraphEngineLimits, 'documentBytes' | 'chunkChars'>
  clock: () => number
}

type Outcome =
  | { kind: 'queued'; changed: boolean }
  | { kind: 'duplicated'; trackId: string; reason: string; changed: boolean }
  | { kind: 'refused'; reason: string; changed: false }

/** Describes what became of documents that were sent. */
export interface Received {
  response: GraphInsertResponse
  /** States how many were added to the queue. */
  queued: number
  /** The current graph is outdated. */
  changed: boolean
  /** Under which tracks they are: that of this request, and those of documents that were known already. */
  trackIds: string[]
  /** Why documents were refused. */
  refused: string[]
}

/** Adds documents to the queue, in one transaction. */
export type Intake = (inputs: readonly DocumentInput[], kind: 'upload' | 'insert') => Received

/** The name of texts without one: it identifies no document, so any number of texts can have it. */
export const UNNAMED = 'unknown_source'

/**
 * Adds documents to the queue. Equal texts are one document, and so are equal names. A document inserted by a client never changes a stored
 * one: a known text or a known name is reported as duplicated. With `replace`, as ingestion sets it, the name is a path in a corpus: a new
 * text replaces the old one at that path, and a known text moves to its new path.
 */
export function createIntake({ documents, extractModel, limits, clock }: IntakeDeps): Intake {
  function take(input: DocumentInput, trackId: string): Outcome {
    const text = cleaned(input.text)
    const problem = unusable(text, limits.documentBytes)
    if (problem !== null) return { kind: 'refused', reason: `${input.filePath}: ${problem}`, changed: false }
    const id = documentId(text)
    const known = documents.find(id)
    const title = input.title?.trim() || titleOf(text, input.filePath)
    const atPath = input.filePath === UNNAMED ? [] : documents.atPath(input.filePath).filter((other) => other.id !== id)
    if (input.replace !== true && atPath.length > 0) return nameTaken(atPath[0]!)
    const replaced = input.replace === true ? atPath.map((document) => document.id) : []
    if (known === null) {
      const chunks = input.chunks ?? splitDocument(text, limits.chunkChars)
      const document = { id, filePath: input.filePath, title, content: text, trackId, extractModel, chunks }
      documents.add(document, replaced, clock())
      return { kind: 'queued', changed: replaced.length > 0 }
    }
    if (known.extractModel !== extractModel) {
      // Chunks are a part of what the record names, so they are cut again too.
      const filePath = input.replace === true ? input.filePath : known.filePath
      const chunks = splitDocument(text, limits.chunkChars)
      documents.add({ id, filePath, title, content: text, trackId, extractModel, chunks }, [id, ...replaced], clock())
      return { kind: 'queued', changed: true }
    }
    const moves = input.replace === true && known.filePath !== input.filePath
    if (moves) {
      documents.remove(replaced)
      documents.rename(id, input.filePath, title, clock())
    }
    if (known.status !== 'failed') {
      const reason = `${input.filePath}: its text is known already as ${known.filePath} (${known.status})`
      return { kind: 'duplicated', trackId: known.trackId, reason, changed: moves }
    }
    documents.requeue(id, trackId, clock())
    return { kind: 'queued', changed: moves }
  }

  return (inputs, kind) => {
    const trackId = newTrackId(kind, clock())
    const outcomes = documents.together(() => inputs.map((input) => take(input, trackId)))
    const queued = outcomes.filter((outcome) => outcome.kind === 'queued').length
    const known = outcomes.flatMap((outcome) => (outcome.kind === 'duplicated' ? [outcome.trackId] : []))
    return {
      response: respond(outcomes, trackId),
      queued,
      changed: outcomes.some(({ changed }) => changed),
      trackIds: [...new Set([...(queued > 0 ? [trackId] : []), ...known])],
      refused: outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.reason] : [])),
    }
  }
}

function nameTaken({ filePath, status, trackId }: StoredDocument): Outcome {
  const reason = `a document named ${filePath} exists already with another text (${status}); delete it first, or use another name`
  return { kind: 'duplicated', trackId, reason, changed: false }
}

function unusable(text: string, limitBytes: number): string | null {
  if (text === '') return 'there is no text'
  return Buffer.byteLength(text) > limitBytes ? `the text is larger than ${limitBytes} bytes` : null
}

function respond(outcomes: readonly Outcome[], trackId: string): GraphInsertResponse {
  const queued = outcomes.filter(({ kind }) => kind === 'queued').length
  const known = outcomes.filter((outcome) => outcome.kind === 'duplicated')
  const refused = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.reason] : []))
  const message = [
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...known.map(({ reason }) => `duplicated: ${reason}`),
    ...refused.map((reason) => `refused: ${reason}`),
  ].join('; ')
  if (queued === outcomes.length) return { status: 'success', message, track_id: trackId }
  if (known.length === outcomes.length) return { status: 'duplicated', message, track_id: known[0]!.trackId }
  return { status: queued + known.length > 0 ? 'partial_success' : 'failure', message, track_id: trackId }
}

/**
 * Splits a text into chunks of at most `maxChars` at paragraphs, lines, sentences or words. Chunks do not overlap: a relation in
 * two of them would count twice.
 */
export const splitDocument = (text: string, maxChars: number): DocumentChunk[] =>
  runAtOnce(splittingDocument(text, maxChars))

function* splittingDocument(text: string, maxChars: number): SlicedWork<DocumentChunk[]> {
  const chunks: DocumentChunk[] = []
  for (const chunk of yield* chunkingText({ text, strategy: 'recursive', chunk_size: maxChars, overlap: 0 })) {
    chunks.push({
      index: chunk.index,
      startChar: chunk.start_char,
      endChar: chunk.end_char,
      tokens: countTokens(chunk.content),
      content: chunk.content,
    })
    yield
  }
  return chunks
}

/** SQLite's own functions end a text at its first NUL. */
const cleaned = (text: string): string =>
  text
    .replaceAll('\u0000', '')
    .replace(/^\uFEFF/, '')
    .toWellFormed()
    .trim()

/** Texts that are split in one go, while the queue takes them. */
const SHORT_CHARS = 100_000

/** Splits long texts in turns, so that the transaction that takes them finds them ready. */
export async function splitLongTexts<Input extends DocumentInput>(
  inputs: readonly Input[],
  { chunkChars, documentBytes }: IntakeDeps['limits'],
): Promise<Input[]> {
  const split: Input[] = []
  for (const input of inputs) {
    const text = input.text.length > SHORT_CHARS ? cleaned(input.text) : ''
    const isSplit = text.length > SHORT_CHARS && unusable(text, documentBytes) === null
    split.push(isSplit ? { ...input, text, chunks: await runInTurns(splittingDocument(text, chunkChars)) } : input)
  }
  return split
}

/** An id for one insert request, such as `upload_20250729_170612_1f0c9a3b`. */
export function newTrackId(kind: 'upload' | 'insert' | 'retry', nowMs: number): string {
  const [date, time] = new Date(nowMs).toISOString().slice(0, 19).split('T')
  return `${kind}_${date!.replaceAll('-', '')}_${time!.replaceAll(':', '')}_${randomBytes(4).toString('hex')}`
}

/** The title of a text: its first heading, else the name of its file in words. */
export function titleOf(text: string, filePath: string): string {
  const heading = /^#{1,6}[ \t]+([^\s].*)$/m
    .exec(text.slice(0, 4000))?.[1]
    ?.trimEnd()
    .replace(/(?<!#)#+$/, '')
    .trimEnd()
  if (heading !== undefined && heading !== '') return heading.replace(/[*_`]/g, '')
  const name = filePath
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '')
  return name.replace(/[-_]+/g, ' ').trim() || 'Untitled'
}

/** The record of an extractor, or the name that an earlier version stored. */
function extractorFields(stored: string): { extract_model: string; extractor?: unknown } {
  const extractor = readExtractor(stored)
  return extractor === null ? { extract_model: stored } : { extract_model: extractor.model, extractor }
}

/** A document in the form of the API. */
export function docStatus(document: StoredDocument): GraphDocStatus {
  return {
    id: document.id,
    content_summary: document.summary,
    content_length: document.contentLength,
    status: document.status,
    created_at: new Date(document.createdMs).toISOString(),
    updated_at: new Date(document.updatedMs).toISOString(),
    track_id: document.trackId,
    chunks_count: document.chunks,
    error_msg: document.error,
    metadata: {
      title: document.title,
      chunks_extracted: document.extracted,
      ...extractorFields(document.extractModel),
    },
    file_path: document.filePath,
  }
}

export function trackStatus(trackId: string, documents: readonly StoredDocument[]): GraphTrackStatus {
  const summary: Record<string, number> = {}
  for (const { status } of documents) summary[status] = (summary[status] ?? 0) + 1
  return {
    track_id: trackId,
    documents: documents.map(docStatus),
    total_count: documents.length,
    status_summary: summary,
  }
}

export function pageOf(
  request: GraphPageRequest,
  documents: readonly StoredDocument[],
  counts: Record<GraphDocumentStatus, number>,
): GraphPage {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const { status_filter: filter } = request
  const total = filter === null || filter === undefined ? all : counts[filter]
  const pages = Math.ceil(total / request.page_size)
  return {
    documents: documents.map(docStatus),
    pagination: {
      page: request.page,
      page_size: request.page_size,
      total_count: total,
      total_pages: pages,
      has_next: request.page < pages,
      has_prev: request.page > 1,
    },
    status_counts: { all, ...counts },
  }
}
