import { setTimeout as delay } from 'node:timers/promises'
import type { IngestionProvenance } from '../../../contract/evidence/provenance.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { IngestionAccepted, IngestionPhase, IngestionRecord } from '../../../contract/http/ingestion.ts'
import { durationWords, plural } from '../../../contract/words.ts'
import { messageOf } from '../../../core/json.ts'
import { PlatformError, type PlatformClient } from '../platform/platform-client.ts'

/** An ingestion job ended without its collection. */
export class IngestionFailedError extends Error {
  override readonly name = 'IngestionFailedError'
  readonly code = 'ingestion_failed'
  readonly record: IngestionRecord

  constructor(record: IngestionRecord) {
    const causes = record.errors.map(
      (error) => `  ${error.phase}${error.file === null ? '' : `, ${error.file}`}: ${error.message}`,
    )
    super([`ingestion ${record.id} of ${record.profile} is ${record.status}`, ...causes].join('\n'))
    this.record = record
  }
}

/** Phases that only approaches which read the graph need. */
const GRAPH_PHASES: readonly string[] = ['graph_upload', 'drain'] satisfies IngestionPhase[]

/** Why a job failed that failed at its graph alone; null for every other failure. */
export function graphFailure(error: unknown): string | null {
  if (!(error instanceof IngestionFailedError) || error.record.status !== 'failed') return null
  const { errors } = error.record
  if (errors.length === 0 || !errors.every(({ phase }) => GRAPH_PHASES.includes(phase))) return null
  // The first one sums up; those after it are of single documents, mostly for the same reason.
  const [first, ...documents] = errors
  const cause = documents[0]
  return `the graph of ${error.record.profile} could not be built: ${first!.message}${cause === undefined ? '' : `; ${cause.file ?? 'a document'}: ${cause.message}`}`
}

/** A job's durable record; `unchanged` when an earlier run had it finished and nothing was worked on now. */
interface IngestedCorpus {
  record: IngestionRecord
  unchanged: boolean
}

const FIRST_POLL_MS = 25
const LONGEST_POLL_MS = 1000

/** Returns what every row records about the job that its collections come from. */
export const ingestionProvenance = (record: IngestionRecord): IngestionProvenance => ({
  job_id: record.id,
  profile: record.profile,
  revision: record.revision,
  content_digest: record.content_digest,
  mode: 'platform',
})

/** Returns what there is to search now, and whether it was made now. */
export function ingestionNote({ record, unchanged }: IngestedCorpus): string {
  const { chunks_written: chunks, documents_parsed: documents } = record.counts
  const parts = [
    ...(chunks === undefined ? [] : [plural(chunks, 'chunk')]),
    ...(documents === undefined ? [] : [plural(documents, 'document')]),
  ]
  const what = parts.length === 0 ? [] : [`${parts.join(' of ')}${unchanged ? ', unchanged' : ''}`]
  return [...what, `job ${record.id}`, `corpus digest ${record.content_digest.slice(0, 12)}`].join(' · ')
}

/** Returns what a person must know of a corpus that was ingested: damage that was repaired now, and documents that the graph knows nothing of. */
export function ingestionWarnings({ record, unchanged }: IngestedCorpus): string[] {
  const { documents_without_entity: without = 0, documents = 0, documents_failed: failed = 0 } = record.counts
  return [
    ...(unchanged ? [] : record.warnings),
    ...(unchanged && failed > 0
      ? [
          `the graph lacks ${plural(failed, 'document')} of ${documents + failed}, as before: a new run tries them again`,
        ]
      : []),
    ...(without === 0
      ? []
      : [
          `${plural(without, 'document')} of ${documents} gave no entity: the graph does not hold what they say, and approaches that read it cannot find it`,
        ]),
  ]
}

/** Reports each phase once per change. */
function announce(
  emit: (event: RunEvent) => void,
  datasetId: string,
  { record, unchanged }: IngestedCorpus,
  announced: Map<string, string>,
): void {
  for (const phase of record.phases) {
    // A phase that has ended is described by its counts.
    const progress = phase.status === 'running' ? phase.progress : undefined
    const news = `${phase.status} ${JSON.stringify(phase.counts)} ${progress?.done ?? ''}`
    if (phase.status === 'pending' || announced.get(phase.name) === news) continue
    announced.set(phase.name, news)
    emit({
      type: 'ingestion.progressed',
      dataset_id: datasetId,
      job_id: record.id,
      phase: phase.name,
      status: phase.status,
      counts: phase.counts,
      ...(progress === undefined ? {} : { progress }),
      ...(unchanged ? { unchanged } : {}),
    })
  }
}

/** Describes how long an ingestion is waited for, in milliseconds. */
export interface IngestionPatience {
  /** While every call fails: a platform may be restarted meanwhile. */
  unreachableMs: number
  /** While the job's record stays the same. Ours renews it every few seconds; another's may be silent while it reads one document. */
  unchangedMs: number
  /** After which a record that stays the same is reported. */
  noticeMs: number
  /** For the answer to a cancellation. */
  cancelMs: number
}

const PATIENCE: IngestionPatience = {
  unreachableMs: 60_000,
  unchangedMs: 20 * 60_000,
  noticeMs: 2 * 60_000,
  cancelMs: 5000,
}

/** Code of a step that ended because the person stopped the run. */
export const INGESTION_STOPPED = 'ingestion_stopped'

/** The person stopped the run while its corpus was ingested. */
class IngestionStoppedError extends Error {
  override readonly name = 'AbortError'
  readonly code = INGESTION_STOPPED
}

/** A job that neither ends nor works. */
export class IngestionStuckError extends Error {
  override readonly name = 'IngestionStuckError'
  readonly code = 'ingestion_stuck'
}

export interface Ingestion {
  client: PlatformClient
  profile: string
  datasetId: string
  /** True when an approach of the run reads the graph. */
  graph: boolean
  /** True where documents that the collection or the graph lacks are tried again: not for a run that has rows, because they were answered from this graph. */
  retry?: boolean
  emit: (event: RunEvent) => void
  /** Cancels the job on the platform. */
  stop: AbortSignal
  /** Awaited before each call: resolves when the platform works, throws when it has failed. */
  ready: () => Promise<void>
  patience?: Partial<IngestionPatience>
}

/**
 * Submits a profile and follows the durable job to its end; the platform answers with an earlier job when nothing has changed. The job outlives
 * the platform's process, so a call that fails is made again for a while. A job of another process that left out
 * the graph is awaited, and the graph is requested after it. Throws `IngestionFailedError`, `IngestionStuckError`,
 * `IngestionStoppedError`, `PlatformError`, and what `ready` throws.
 */
export async function ingestProfile(ingestion: Ingestion): Promise<IngestedCorpus> {
  const { client, profile, datasetId, graph, retry = false, emit, stop } = ingestion
  const patience = { ...PATIENCE, ...ingestion.patience }
  const ask = <Answer>(call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> =>
    askAgain(call, ingestion, patience.unreachableMs)
  let id: string | null = null
  try {
    for (;;) {
      const accepted = await ask((signal) => client.submitIngestion(profile, { graph, retry }, signal))
      id = accepted.ingestion_id
      const unchanged = isUnchanged(accepted)
      const announced = new Map<string, string>()
      let last = { text: '', sinceMs: performance.now(), isReported: false }
      let record: IngestionRecord
      for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 1.5)) {
        record = await ask((signal) => client.ingestion(accepted.ingestion_id, signal))
        announce(emit, datasetId, { record, unchanged }, announced)
        if (record.status === 'completed') break
        if (record.status === 'failed' || record.status === 'cancelled') throw new IngestionFailedError(record)
        const text = JSON.stringify(record)
        if (text !== last.text) last = { text, sinceMs: performance.now(), isReported: false }
        reportUnchanged(record, last, patience, emit)
        await delay(pollMs, undefined, { signal: stop })
      }
      if (!graph || record.graph !== false) return { record, unchanged }
    }
  } catch (error) {
    if (!stop.aborted) throw error
    throw await stopped(client, id, profile, patience.cancelMs)
  }
}

/** The platform reports it by a field; older ones only by the message that the contract fixes for a resubmission. */
function isUnchanged({ unchanged, status, message }: IngestionAccepted): boolean {
  return unchanged ?? (status === 'completed' && message.startsWith('Idempotent'))
}

interface RetryPauses {
  firstMs: number
  longestMs: number
}
const SHORT_PAUSES: RetryPauses = { firstMs: 250, longestMs: 2000 }
/** Between requests to write something, each of which has tried the model several times already. */
const WRITING_PAUSES: RetryPauses = { firstMs: 4000, longestMs: 32_000 }

/** Returns true when the same call may succeed a little later. */
const isPassing = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  !error.isFinal &&
  (error.code === 'unreachable' || (error.status !== null && (error.status >= 500 || error.status === 429)))

/** Makes a call until it succeeds, is refused, or has failed for `forMs`. The first failure in a row is reported. */
export async function askAgain<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  { ready, stop, emit }: Pick<Ingestion, 'ready' | 'stop' | 'emit'>,
  forMs = PATIENCE.unreachableMs,
  { firstMs, longestMs } = SHORT_PAUSES,
): Promise<Answer> {
  const since = performance.now()
  for (let failures = 1; ; failures += 1) {
    stop.throwIfAborted()
    await ready()
    try {
      return await call(stop)
    } catch (error) {
      if (!isPassing(error) || performance.now() - since >= forMs) throw error
      if (failures === 1)
        emit({
          type: 'notice',
          level: 'warning',
          message: `${error.message}; trying again for ${durationWords(forMs)}`,
        })
      await delay(Math.min(longestMs, firstMs * 2 ** (failures - 1)), undefined, { signal: stop })
    }
  }
}

/** Asks a platform to write contexts or summaries. What it has written is kept, so that each further request is for the rest. */
export const askToWrite = <Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  from: Pick<Ingestion, 'ready' | 'stop' | 'emit'>,
): Promise<Answer> => askAgain(call, from, PATIENCE.unreachableMs, WRITING_PAUSES)

function reportUnchanged(
  { id, profile, status, phases }: IngestionRecord,
  last: { sinceMs: number; isReported: boolean },
  { unchangedMs, noticeMs }: IngestionPatience,
  emit: (event: RunEvent) => void,
): void {
  const forMs = performance.now() - last.sinceMs
  const phase = phases.find((candidate) => candidate.status === 'running')?.name
  const what = `ingestion ${id} of ${profile} has not changed for ${durationWords(forMs)}: it is ${status}${phase === undefined ? '' : ` in ${phase}`}`
  if (forMs >= unchangedMs)
    throw new IngestionStuckError(
      `${what}. Look at the platform's log, cancel the job there or restart the platform, then run again`,
    )
  if (forMs < noticeMs || last.isReported) return
  last.isReported = true
  emit({ type: 'notice', level: 'warning', message: `${what}; still waiting` })
}

async function stopped(
  client: PlatformClient,
  id: string | null,
  profile: string,
  cancelMs: number,
): Promise<IngestionStoppedError> {
  if (id === null) return new IngestionStoppedError(`the ingestion of ${profile} was stopped before it began`)
  const what = `ingestion ${id} of ${profile}`
  try {
    await client.cancelIngestion(id, AbortSignal.timeout(cancelMs))
    return new IngestionStoppedError(
      `${what} was cancelled; the next run takes up the vectors and graph texts that it made`,
    )
  } catch (error) {
    const why = messageOf(error)
    return new IngestionStoppedError(`${what} could not be cancelled (${why}); it may still be running on the platform`)
  }
}
