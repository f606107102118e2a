import { isUtf8 } from 'node:buffer'
import { MOST_DOCUMENT_WARNINGS } from '../../../contract/http/ingestion.ts'
import type { DocumentWarning } from '../../../contract/http/ingestion.ts'
import type { IngestionProfile, ParserName } from '../../../contract/manifests/consumer.ts'
import { messageOf } from '../../../core/json.ts'
import { ChunkingError } from '../../../core/chunking/errors.ts'
import { chunkTextWith, type KnownChanges } from './chunking/chunk-in-turns.ts'
import { InvalidVectorError, VectorStoreUnavailableError } from '../stores/vector-store/vector-store.ts'
import type { CollectionSource, StoredChunk, VectorList, VectorStore } from '../stores/vector-store/vector-store.ts'
import { abortable } from './clock.ts'
import { hashCorpus, listCorpus } from './corpus.ts'
import type { Corpus, CorpusFile, CorpusLimits, CorpusRoots, KnownHashes } from './corpus.ts'
import { CorpusError, ParserServiceError, PhaseFailure } from './errors.ts'
import type { JobOrder } from './job-record.ts'
import type { KeptFile } from './kept-file.ts'
import type { EmbedDocuments, KeptVectors } from './kept-vectors.ts'
import { isFaultOfText, type LeftOutDocuments } from './left-out-documents.ts'
import { ModelCallError } from '../models/model-host.ts'
import { plainTextParser } from './parsers.ts'
import { createPauses } from '../stores/graph-engine/sliced-work.ts'
import type { CorpusTexts, DocumentParser, ParsedDocument } from './parsers.ts'
import type { Count, PhaseOutcome } from './phase-log.ts'

export interface Document {
  path: string
  title: string
  text: string
}

const EMBED_BATCH = 32
/** Of a corpus in which every file has a warning, a few are enough. */
const MOST_NOTED = 20

/** discover: the corpus as it is now, which must be what was submitted where that was read. */
export async function discover(
  roots: CorpusRoots,
  order: JobOrder,
  limits: CorpusLimits,
  known: KnownHashes,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<Corpus>> {
  try {
    const listing = await listCorpus(roots, order.corpusPath, limits, signal)
    const corpus = await hashCorpus(listing, limits, known, signal, (files) => {
      count('files_discovered', files, listing.files.length)
    })
    count('bytes_discovered', corpus.totalBytes)
    if (order.contentDigest === '' || corpus.contentDigest === order.contentDigest) return { result: corpus }
  } catch (error) {
    throw error instanceof CorpusError
      ? new PhaseFailure('discover', error.message, { file: error.path, cause: error })
      : error
  }
  throw new PhaseFailure('discover', `corpus '${order.corpusPath}' changed after it was submitted; submit it again`)
}

/** parse: each file by the first parser of the profile's order that is available and accepts it. Files whose text is kept are not parsed again. */
export async function parse(
  files: readonly CorpusFile[],
  order: readonly ParserName[],
  parsers: readonly DocumentParser[],
  kept: Pick<KeptFile<ParsedDocument>, 'get' | 'put'>,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<Document[]>> {
  const available = order.flatMap((name) => parsers.filter((parser) => parser.name === name))
  const documents: Document[] = []
  const readBy = new Map<string, number>()
  const warnings: DocumentWarning[] = []
  const texts = plainTexts(files)
  const revisions = new Map<DocumentParser, Promise<string | null>>()
  const revisionOf = async (parser: DocumentParser): Promise<string | null> => {
    if (parser.revision === undefined) return null
    const revision = revisions.get(parser) ?? parser.revision(signal, texts)
    revisions.set(parser, revision)
    const named = await abortable(revision, signal)
    return named === null ? null : `${parser.name} ${named}`
  }
  let unchanged = 0
  for (const file of files) {
    signal.throwIfAborted()
    const parser = available.find((candidate) => candidate.accepts(file))
    if (parser === undefined) throw new PhaseFailure('parse', noParser(file, order, available), { file: file.path })
    const revision = await revisionOf(parser)
    const key = revision === null ? null : JSON.stringify([file.path, file.sha256, revision])
    const known = key === null ? null : kept.get(key)
    const parsed =
      known ??
      (await abortable(parser.parse(file, signal, texts), signal).catch((error: unknown) => {
        signal.throwIfAborted()
        throw new PhaseFailure('parse', `'${file.path}' cannot be parsed: ${messageOf(error)}`, {
          file: file.path,
          ...(error instanceof ParserServiceError ? { service: error.service, httpStatus: error.status } : {}),
          cause: error,
        })
      }))
    if (known !== null) count('documents_unchanged', (unchanged += 1))
    else if (key !== null) kept.put(key, parsed)
    const { title, text, warnings: parserWarnings = [] } = parsed
    documents.push({ path: file.path, title, text })
    warnings.push(...parserWarnings.map((message) => ({ file: file.path, sha256: file.sha256, message })))
    readBy.set(parser.name, (readBy.get(parser.name) ?? 0) + 1)
    count('documents_parsed', documents.length, files.length)
  }
  const missing = order.filter((name) => !parsers.some((parser) => parser.name === name))
  const readers = [...readBy].map(([name, files]) => `${files} by ${name}`).join(', ')
  const notes = [
    ...(missing.length === 0 ? [] : [`parsers not available: ${missing.join(', ')}; files read: ${readers}`]),
    ...warnings.slice(0, MOST_NOTED).map(({ file, message }) => `'${file}': ${message}`),
    ...(warnings.length > MOST_NOTED ? [`${warnings.length - MOST_NOTED} warnings more`] : []),
  ]
  const documentWarnings = warnings.slice(0, MOST_DOCUMENT_WARNINGS)
  return { result: documents, note: notes.length === 0 ? null : notes.join('; '), documentWarnings }
}

/** Files that are not text are omitted here: their own parser reports them. */
function plainTexts(files: readonly CorpusFile[]): CorpusTexts {
  let texts: Promise<string[]> | null = null
  const read = async () => {
    const plain = files.filter((file) => plainTextParser.accepts(file))
    return (await Promise.all(plain.map(async (file) => file.read()))).filter(isUtf8).map(String)
  }
  return () => (texts ??= read())
}

const noParser = (file: CorpusFile, order: readonly string[], available: readonly DocumentParser[]): string =>
  `no parser accepts '${file.path}' (profile: ${order.join(', ')}; available: ${available.map(({ name }) => name).join(', ') || 'none'})`

/** chunk: the documents in pieces, by the profile's chunker. */
export async function chunk(
  documents: readonly Document[],
  profile: IngestionProfile,
  embed: EmbedDocuments,
  known: KnownChanges | null,
  leftOut: LeftOutDocuments,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<StoredChunk[]>> {
  const chunks: StoredChunk[] = []
  const empty: string[] = []
  const pause = createPauses(signal)
  let done = 0
  for (const document of documents) {
    signal.throwIfAborted()
    await pause()
    done += 1
    const pieces = await chunkTextWith(
      { text: document.text, ...profile.chunker },
      (texts) => abortable(embed(texts, signal), signal),
      known,
      signal,
    ).then(
      ({ chunks: cut }) => cut,
      (error: unknown) => {
        signal.throwIfAborted()
        leftOut.add(document.path, error instanceof ChunkingError ? (error.cause ?? error) : error)
        return null
      },
    )
    if (pieces === null) continue
    if (pieces.length === 0) empty.push(document.path)
    for (const piece of pieces) {
      chunks.push({
        document: document.path,
        title: document.title,
        chunkIndex: piece.index,
        startChar: piece.start_char,
        endChar: piece.end_char,
        content: piece.content,
        indexText: piece.content,
      })
    }
    count('documents_chunked', done, documents.length)
    count('chunks_created', chunks.length)
  }
  if (chunks.length === 0)
    throw new PhaseFailure(
      'chunk',
      'the corpus has no text: none of its documents gave a chunk. Check that they are not empty, or scans without recognized text',
    )
  if (empty.length > 0) count('documents_empty', empty.length)
  return { result: chunks, note: empty.length === 0 ? null : `documents without text: ${empty.join(', ')}` }
}

/** Texts in a row that may fail before the service counts as broken. */
const MOST_IN_ROW = 2

/**
 * embed: a vector for each chunk, batch by batch. They stay in the file of kept vectors and are read when their turn comes. In memory are only those
 * that are not in that file: it cannot be used, or the collection as it is has them. A batch that fails is halved until the text is alone that
 * cannot be embedded: its document is left out.
 */
export async function embedChunks(
  chunks: readonly StoredChunk[],
  embed: EmbedDocuments,
  kept: Pick<KeptVectors, 'has' | 'stored' | 'problem'>,
  leftOut: LeftOutDocuments,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<{ chunks: readonly StoredChunk[]; vectors: VectorList }>> {
  const notKept = new Map<StoredChunk, Float32Array>()
  let dimensions: number | null = null
  let failedInRow = 0
  const embedSome = async (some: readonly StoredChunk[]): Promise<void> => {
    const asked = some.filter(({ document }) => !leftOut.has(document))
    const texts = asked.map(({ indexText }) => indexText)
    if (texts.length === 0) return
    let embedded: Float32Array[]
    try {
      embedded = await abortable(embed(texts, signal), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (asked.length > 1 && isFaultOfText(error)) {
        const half = Math.ceil(asked.length / 2)
        await embedSome(asked.slice(0, half))
        await embedSome(asked.slice(half))
      } else leaveOut(asked[0]!, error)
      return
    }
    if (embedded.length !== texts.length)
      throw new PhaseFailure('embed', `${embedded.length} embeddings for ${texts.length} chunks`, {
        service: 'embedding',
      })
    const { length } = embedded[0]!
    dimensions ??= length
    if (length !== dimensions) {
      const text = `has ${length} dimensions, the first has ${dimensions}`
      // Several texts of another size are a model of another size, which has the name of the one before.
      if (asked.length > 1) throw new InvalidVectorError(`embedding failed: a vector ${text}`)
      leaveOut(asked[0]!, new ModelCallError('invalid_response', 'embed', `its embedding ${text}`))
      return
    }
    failedInRow = 0
    for (const [at, chunk] of asked.entries()) if (!kept.has(chunk.indexText)) notKept.set(chunk, embedded[at]!)
  }
  const leaveOut = ({ document }: StoredChunk, error: unknown): void => {
    failedInRow += 1
    // Where no text between them can be embedded, it is the service.
    if (failedInRow > MOST_IN_ROW) throw error
    leftOut.add(document, error)
  }
  count('chunks_to_embed', chunks.length)
  const pause = createPauses(signal)
  for (let from = 0; from < chunks.length; from += EMBED_BATCH) {
    signal.throwIfAborted()
    // Vectors that are kept come without a wait.
    await pause()
    const batch = chunks.slice(from, from + EMBED_BATCH)
    await embedSome(batch).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof PhaseFailure || error instanceof InvalidVectorError) throw error
      throw new PhaseFailure('embed', `embedding failed: ${messageOf(error)}`, {
        service: 'embedding',
        httpStatus: statusOf(error),
        cause: error,
      })
    })
    count('chunks_embedded', from + batch.length, chunks.length)
  }
  const used = chunks.filter(({ document }) => !leftOut.has(document))
  const at = (index: number): Float32Array | undefined => {
    const chunk = used[index]
    if (chunk === undefined) return undefined
    const vector = notKept.get(chunk) ?? kept.stored(chunk.indexText)
    if (vector !== null) return vector
    throw new PhaseFailure('vector_write', kept.problem ?? `the vector of a chunk of '${chunk.document}' is missing`)
  }
  return { result: { chunks: used, vectors: { length: used.length, at } } }
}

/** vector_write: replaces the collection at once; `beforeSwitch` throws when this run may not do so any more. */
export async function writeVectors(
  store: VectorStore,
  collection: string,
  source: CollectionSource,
  chunks: readonly StoredChunk[],
  vectors: VectorList,
  onUnavailable: 'fail' | 'skip',
  beforeSwitch: () => Promise<void>,
  count: Count,
): Promise<PhaseOutcome<boolean>> {
  try {
    const written = await store.replace(collection, source, chunks, vectors, { beforeSwitch })
    count('chunks_written', written.chunkCount)
    return { result: true }
  } catch (error) {
    if (!(error instanceof VectorStoreUnavailableError)) throw error
    if (onUnavailable === 'skip')
      return { result: false, status: 'skipped', note: `vector store unavailable: ${error.message}` }
    throw new PhaseFailure('vector_write', `vector store unavailable: ${error.message}`, {
      service: 'vector_store',
      cause: error,
    })
  }
}

/** finalize: what was written is what readers find. */
export async function finalize(
  store: VectorStore,
  collection: string,
  expected: { contentDigest: string; chunkCount: number } | null,
): Promise<PhaseOutcome<void>> {
  if (expected === null) return { result: undefined, note: 'no collection was written' }
  const info = await store.info(collection)
  if (info?.contentDigest === expected.contentDigest && info.chunkCount === expected.chunkCount)
    return { result: undefined }
  throw new PhaseFailure('finalize', `collection '${collection}' is not the one that was written`, {
    service: 'vector_store',
  })
}

function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status
  return typeof status === 'number' && Number.isInteger(status) ? status : null
}
