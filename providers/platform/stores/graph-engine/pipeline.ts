import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GraphPipelineStatus } from '../../../../contract/http/graph-documents.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { mapBounded } from '../../rag/bounded.ts'
import { createByteVectorTable, toByteVector } from '../vectors/dense-vectors.ts'
import type { ByteVector, ByteVectorTable, VectorTable } from '../vectors/dense-vectors.ts'
import type { VectorCache } from './database.ts'
import type { DocumentStore, ExtractionStore } from './document-store.ts'
import type { StoredDocument } from './stored-graph.ts'
import { extractChunk } from './extract-chunk.ts'
import { failureText, GraphEngineError, isExpected } from './errors.ts'
import type { GraphEngineLimits } from './limits.ts'
import type { GraphHolder } from './graph/graph-holder.ts'
import type { KnowledgeGraph } from './graph/knowledge-graph.ts'
import { createPauses } from './sliced-work.ts'

export interface PipelineDeps {
  documents: DocumentStore
  extractions: ExtractionStore
  holder: GraphHolder
  models: ModelHost
  limits: GraphEngineLimits
  entityTypes: readonly string[] | undefined
  clock: () => number
  /** The graph of all processed documents and these. */
  build: (alsoDocuments: readonly string[], signal: AbortSignal) => Promise<KnowledgeGraph>
  /** Called when queries have a new graph. */
  onPublished: () => void
  /** Called for unexpected failures; the pipeline continues. */
  onError: (error: unknown, where: string) => void
}

/**
 * Processes the queue: one run at a time, started by `wake`, ended when nothing is pending and the graph is up to date. The graph is built
 * once, when the queue is empty, because its cost grows with all documents; earlier only for a query that waits for one.
 */
export interface Pipeline {
  /** `added`: documents that were put into the queue. */
  wake(added: number): void
  status(): GraphPipelineStatus
  /** Stops the run: documents pending or in progress fail as cancelled. False when nothing runs. */
  cancel(): boolean
  /** Settles when nothing runs and nothing is pending; the signal only ends the waiting. */
  idle(signal?: AbortSignal): Promise<void>
  /** Stops without failing the documents in progress: the next start resumes them. */
  close(): Promise<void>
}

/** Documents that one transaction marks as processed: all of a large corpus would stop the event loop for seconds. */
const MOVED_AT_ONCE = 500

const CANCELLED = 'cancelled by request'

/** The pipeline of one engine. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { documents, holder, limits, clock } = deps
  const log = createPipelineLog(limits.historyLines, clock)
  let running: Promise<void> | null = null
  let stop = new AbortController()
  let closed = false
  let cancelling = false
  let mergedMs = clock()

  async function run(): Promise<void> {
    log.begin(documents.counts().pending)
    // A question that came before these documents has its answer: it is no reason to merge after the first of them.
    mergedMs = clock()
    while (!closed) {
      // The caller of `wake` must not wait for the first model's synchronous work, nor other requests for a round without any wait.
      await nextTurn()
      if (cancelling) endCancelled()
      const finished = await extractSome()
      if (finished.length > 0 || holder.outdated) await publish(finished)
      else if (documents.counts().pending === 0) break
    }
    documents.truncateLog()
    log.end('finished')
  }

  /**
   * Extracts documents until the queue is empty or a query needs a graph; returns those that are complete. At least one is extracted, so that
   * each round brings the queue closer to its end, whatever queries come.
   */
  async function extractSome(): Promise<string[]> {
    const finished: string[] = []
    let claimed = 0
    const givesWay = () =>
      claimed > 0 && holder.wanted && (!holder.answers || clock() - mergedMs >= limits.mergeAfterMs)
    const worker = async () => {
      while (!stop.signal.aborted && !givesWay()) {
        const [document] = documents.claim(1, clock())
        if (document === undefined) return
        claimed += 1
        // Rule-based models never leave the thread by themselves: this lets other requests run.
        await nextTurn()
        if (await extract(document)) finished.push(document.id)
      }
    }
    await Promise.all(Array.from({ length: limits.parallelDocuments }, worker))
    return finished
  }

  async function extract(document: StoredDocument): Promise<boolean> {
    const { signal } = stop
    let location = ''
    try {
      await mapBounded(deps.extractions.missing(document.id), limits.parallelChunks, async (chunk) => {
        try {
          signal.throwIfAborted()
          const extraction = await extractChunk(chunk, deps.models, deps.entityTypes, signal)
          deps.extractions.save(chunk.id, extraction)
        } catch (error) {
          location ||= `chunk ${chunk.index + 1} of ${document.chunks}: `
          throw error
        }
      })
      log.documentDone(`extracted ${document.filePath}`)
      return true
    } catch (error) {
      if (closed) return false
      const reason = signal.aborted ? CANCELLED : `${location}${failureText(error)}`
      if (!signal.aborted && !isExpected(error)) deps.onError(error, `extraction of ${document.filePath}`)
      documents.end([document.id], 'failed', reason, clock())
      log.documentDone(`failed ${document.filePath}: ${reason}`)
      return false
    }
  }

  async function publish(finished: readonly string[]): Promise<void> {
    const { revision } = holder
    try {
      const graph = await deps.build(finished, stop.signal)
      for (const ids of batchesOf(finished, MOVED_AT_ONCE)) {
        documents.end(ids, 'processed', null, clock())
        await nextTurn()
      }
      if (holder.publish(graph, revision)) {
        deps.onPublished()
        log.add(`merged: ${graph.entities.length} entities, ${graph.relations.length} relations`)
      }
    } catch (error) {
      if (closed) return
      const reason = stop.signal.aborted ? CANCELLED : `merging: ${failureText(error)}`
      if (!stop.signal.aborted && !isExpected(error)) deps.onError(error, 'merging')
      documents.end(finished, 'failed', reason, clock())
      log.add(`failed ${reason}`)
      if (holder.outdated) holder.fail(error)
    } finally {
      mergedMs = clock()
    }
  }

  function endCancelled(): void {
    documents.failOpen(CANCELLED, clock())
    cancelling = false
    stop = new AbortController()
    log.add(CANCELLED)
  }

  function wake(added: number): void {
    if (closed) return
    log.grow(added)
    running ??= run().then(
      () => {
        running = null
        // A document may have arrived between the run's last look at the queue and now.
        if (!closed && (holder.outdated || documents.counts().pending > 0)) wake(0)
      },
      (error: unknown) => {
        running = null
        deps.onError(error, 'pipeline')
        if (holder.outdated) holder.fail(error)
      },
    )
  }

  return {
    wake,
    status() {
      const pending = documents.counts().pending > 0
      return log.status({ busy: running !== null, requestPending: pending, cancelling })
    },
    cancel() {
      if (running === null) return false
      cancelling = true
      stop.abort(new DOMException(CANCELLED, 'AbortError'))
      return true
    },
    async idle(signal) {
      while (running !== null) {
        signal?.throwIfAborted()
        await (signal === undefined ? running : Promise.race([running, rejectedWhenAborted(signal)]))
      }
    },
    async close() {
      closed = true
      stop.abort(new DOMException('the engine closes', 'AbortError'))
      await running
    },
  }
}

function rejectedWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** Texts of one table of the graph. */
export interface TextsToEmbed {
  count: number
  text: (row: number) => string
}

/**
 * The vectors of several tables. Only those missing in the cache are requested, `batch` at a time across tables, and stored as they arrive; a
 * text is read when its turn comes, and no list of all texts exists. Throws `ModelCallError`, or `GraphEngineError` `embedding_invalid` when vectors
 * differ in dimension or number. `keys` are those of the vectors that the cache keeps.
 */
export async function embedTables<Name extends string>(
  tables: Readonly<Record<Name, TextsToEmbed>>,
  cache: VectorCache,
  models: ModelHost,
  batch: number,
  signal?: AbortSignal,
): Promise<{ tables: Record<Name, VectorTable>; keys: Set<bigint> }> {
  const keys = new Set<bigint>()
  const dimensions = new Set<number>()
  const made = new Map<Name, ByteVectorTable>()
  const pause = createPauses(signal)

  async function embed(texts: readonly { key: bigint; text: string }[]): Promise<Map<bigint, ByteVector>> {
    const vectors = await models.embed(
      'embed',
      texts.map(({ text }) => text),
      'document',
      signal,
    )
    if (vectors.length !== texts.length) {
      throw new GraphEngineError('embedding_invalid', `${vectors.length} vectors for ${texts.length} texts`)
    }
    for (const { length } of vectors) dimensions.add(length)
    const entries = texts.map(({ key }, index) => ({ key, vector: toByteVector(vectors[index]!) }))
    cache.put(entries)
    return new Map(entries.map(({ key, vector }) => [key, vector]))
  }

  for (const rows of batchesOf(rowsOf(tables), batch)) {
    const texts = rows.map(({ text }) => ({ key: cache.key(text), text }))
    const stored = texts.map(({ key }) => cache.get(key))
    const missing = new Map(texts.filter((_, at) => stored[at] === null).map((row) => [row.key, row]))
    const embedded = missing.size > 0 ? await embed([...missing.values()]) : null
    const vectors = texts.map(({ key }, at) => stored[at] ?? embedded!.get(key)!)
    for (const [at, vector] of vectors.entries()) {
      const { table, row } = rows[at]!
      if (cache.keeps) keys.add(texts[at]!.key)
      dimensions.add(vector.components.length)
      if (dimensions.size > 1) {
        const found = [...dimensions].join(', ')
        throw new GraphEngineError('embedding_invalid', `vectors have different dimensions: ${found}`)
      }
      const target = made.get(table) ?? createByteVectorTable(tables[table].count, vector.components.length)
      made.set(table, target)
      target.set(row, vector)
    }
    await pause()
  }
  const names = Object.keys(tables) as Name[]
  const filled = names.map((name) => [name, made.get(name) ?? createByteVectorTable(0, 0)])
  return { tables: Object.fromEntries(filled) as Record<Name, VectorTable>, keys }
}

/** Every text of every table, in order; read when its turn comes. */
function* rowsOf<Name extends string>(tables: Readonly<Record<Name, TextsToEmbed>>) {
  for (const table of Object.keys(tables) as Name[])
    for (let row = 0; row < tables[table].count; row += 1) yield { table, row, text: tables[table].text(row) }
}

/** Items in groups of `size`; the last one may be smaller. */
function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let group: Item[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Describes what the pipeline reports about itself; in memory only, since the documents' states are durable. */
export interface PipelineLog {
  begin(docs: number): void
  /** More documents came in; `begin` counts those that came before it again. */
  grow(docs: number): void
  documentDone(message: string): void
  add(message: string): void
  end(message: string): void
  status(state: { busy: boolean; requestPending: boolean; cancelling: boolean }): GraphPipelineStatus
}

/** A log of the last `lines` messages. */
function createPipelineLog(lines: number, clock: () => number): PipelineLog {
  const history: string[] = []
  let startedMs: number | null = null
  let docs = 0
  let done = 0
  const add = (message: string) => {
    history.push(`${new Date(clock()).toISOString()} ${message}`)
    if (history.length > lines) history.shift()
  }
  return {
    begin(count) {
      startedMs = clock()
      docs = count
      done = 0
      add(`started with ${count} documents`)
    },
    grow(count) {
      docs += count
    },
    documentDone(message) {
      done += 1
      docs = Math.max(docs, done)
      add(message)
    },
    add,
    end: add,
    status: ({ busy, requestPending, cancelling }) => ({
      autoscanned: true,
      busy,
      job_name: busy ? 'extracting documents' : 'idle',
      job_start: startedMs === null ? null : new Date(startedMs).toISOString(),
      docs,
      batchs: docs,
      cur_batch: done,
      request_pending: requestPending,
      cancellation_requested: cancelling,
      latest_message: history.at(-1) ?? '',
      history_messages: [...history],
      update_status: {},
    }),
  }
}
