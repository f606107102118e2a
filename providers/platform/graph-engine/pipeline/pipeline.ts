import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { GraphPipelineStatus } from '../../../../contract/index.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { parseExtractReply, renderExtractTask } from '../../models/prompts/extract-task.ts'
import type { Extraction } from '../../models/prompts/extract-task.ts'
import { mapBounded } from '../../rag/bounded.ts'
import { GraphEngineError } from '../errors.ts'
import type { GraphHolder } from '../graph/graph-holder.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import type { GraphEngineLimits } from '../limits.ts'
import type { DocumentStore, StoredDocument } from '../storage/document-store.ts'
import type { ExtractionStore, StoredChunk } from '../storage/extraction-store.ts'
import { failureText, isExpected } from './failure-text.ts'

export interface PipelineDeps {
  documents: DocumentStore
  extractions: ExtractionStore
  holder: GraphHolder
  models: ModelHost
  limits: GraphEngineLimits
  clock: () => number
  /** The graph of all processed documents and these. */
  build: (alsoDocuments: readonly string[], signal: AbortSignal) => Promise<KnowledgeGraph>
  /** Told of failures that nobody expected; the pipeline goes on. */
  onError: (error: unknown, where: string) => void
}

/** Works off the queue: one run at a time, started by `wake`, ended when nothing is pending and the graph is up to date. */
export interface Pipeline {
  wake(): void
  status(): GraphPipelineStatus
  /** Stops the run: what is pending or under way fails as cancelled. False when nothing runs. */
  cancel(): boolean
  /** Settles when nothing runs and nothing is pending; the signal only ends the waiting. */
  idle(signal?: AbortSignal): Promise<void>
  /** Stops without a verdict on documents under way: the next start takes them up again. */
  close(): Promise<void>
}

export const CANCELLED = 'cancelled by request'

/** The pipeline of one engine. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { documents, holder, limits, clock } = deps
  const log = createPipelineLog(limits.historyLines, clock)
  let running: Promise<void> | null = null
  let stop = new AbortController()
  let closed = false
  let cancelling = false

  async function run(): Promise<void> {
    log.begin(documents.counts().pending)
    // Whoever woke us must not wait for the first model's synchronous work.
    await nextTurn()
    while (!closed) {
      if (cancelling) endCancelled()
      if (holder.outdated) await publish([])
      const finished = await extractSome()
      if (finished.length > 0) await publish(finished)
      else if (!holder.outdated && documents.counts().pending === 0) break
    }
    log.end('finished')
  }

  /** Extracts documents until the queue is empty or it is time to merge; returns those that are complete. */
  async function extractSome(): Promise<string[]> {
    const finished: string[] = []
    const sinceMs = clock()
    const worker = async () => {
      while (!stop.signal.aborted && finished.length < limits.mergeEvery && clock() - sinceMs < limits.mergeAfterMs) {
        const [document] = documents.claim(1, clock())
        if (document === undefined) return
        // Rule-based models never leave the thread by themselves: other requests get their turn here.
        await nextTurn()
        if (await extract(document)) finished.push(document.id)
      }
    }
    await Promise.all(Array.from({ length: limits.parallelDocuments }, worker))
    return finished
  }

  async function extract(document: StoredDocument): Promise<boolean> {
    const { signal } = stop
    let place = ''
    try {
      await mapBounded(deps.extractions.missing(document.id), limits.parallelChunks, async (chunk) => {
        try {
          signal.throwIfAborted()
          const extraction = await extractChunk(chunk, deps.models, limits.extractAttempts, signal)
          deps.extractions.save(chunk.id, extraction)
        } catch (error) {
          place ||= `chunk ${chunk.index + 1} of ${document.chunks}: `
          throw error
        }
      })
      log.documentDone(`extracted ${document.filePath}`)
      return true
    } catch (error) {
      if (closed) return false
      const reason = signal.aborted ? CANCELLED : `${place}${failureText(error)}`
      if (!signal.aborted && !isExpected(error)) deps.onError(error, `extraction of ${document.filePath}`)
      documents.move([document.id], ['processing'], 'failed', reason, clock())
      log.documentDone(`failed ${document.filePath}: ${reason}`)
      return false
    }
  }

  async function publish(finished: readonly string[]): Promise<void> {
    const { revision } = holder
    try {
      const graph = await deps.build(finished, stop.signal)
      documents.move(finished, ['processing'], 'processed', null, clock())
      if (holder.publish(graph, revision)) {
        log.say(`merged: ${graph.entities.length} entities, ${graph.relations.length} relations`)
      }
    } catch (error) {
      if (closed) return
      const reason = stop.signal.aborted ? CANCELLED : `merging: ${failureText(error)}`
      if (!stop.signal.aborted && !isExpected(error)) deps.onError(error, 'merging')
      documents.move(finished, ['processing'], 'failed', reason, clock())
      log.say(`failed ${reason}`)
      if (holder.outdated) holder.fail(error)
    }
  }

  function endCancelled(): void {
    const pending = documents.all().filter(({ status }) => status === 'pending' || status === 'processing')
    documents.move(
      pending.map(({ id }) => id),
      ['pending', 'processing'],
      'failed',
      CANCELLED,
      clock(),
    )
    cancelling = false
    stop = new AbortController()
    log.say(CANCELLED)
  }

  function wake(): void {
    if (closed) return
    log.grow(documents.counts().pending)
    running ??= run().then(
      () => {
        running = null
        // Something may have come in between the run's last look at the queue and now.
        if (!closed && (holder.outdated || documents.counts().pending > 0)) wake()
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

const replyText = z.string().min(1)

/**
 * What the model finds in one chunk. A reply that cannot be read is asked for again, `attempts` times in all. Throws
 * `ModelCallError`, or `GraphEngineError` `model_answer_invalid`.
 */
async function extractChunk(
  chunk: Pick<StoredChunk, 'title' | 'content'>,
  models: ModelHost,
  attempts: number,
  signal?: AbortSignal,
): Promise<Extraction> {
  const messages = renderExtractTask({ title: chunk.title, text: chunk.content })
  for (let attempt = 1; ; attempt += 1) {
    const completion = await models.chat('graph_extract', { messages, temperature: 0 }, signal)
    const text = replyText.safeParse(completion.choices[0]?.message.content)
    const reply = text.success
      ? parseExtractReply(text.data)
      : ({ ok: false, message: 'the reply holds no text' } as const)
    if (reply.ok) return reply.value
    if (attempt >= attempts) {
      throw new GraphEngineError(
        'model_answer_invalid',
        `the extraction model's reply cannot be used: ${reply.message}`,
      )
    }
  }
}

/** What the pipeline tells about itself; kept in memory, since the documents' own states are durable. */
interface PipelineLog {
  begin(docs: number): void
  /** More documents came in while it was busy. */
  grow(docs: number): void
  documentDone(message: string): void
  say(message: string): void
  end(message: string): void
  status(state: { busy: boolean; requestPending: boolean; cancelling: boolean }): GraphPipelineStatus
}

/** A log of the last `lines` messages. */
function createPipelineLog(lines: number, clock: () => number): PipelineLog {
  const history: string[] = []
  let startedMs: number | null = null
  let docs = 0
  let done = 0
  const say = (message: string) => {
    history.push(`${new Date(clock()).toISOString()} ${message}`)
    if (history.length > lines) history.shift()
  }
  return {
    begin(count) {
      startedMs = clock()
      docs = count
      done = 0
      say(`started with ${count} documents`)
    },
    grow(count) {
      docs = Math.max(docs, done + count)
    },
    documentDone(message) {
      done += 1
      docs = Math.max(docs, done)
      say(message)
    },
    say,
    end: say,
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
