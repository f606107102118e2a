import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExtractionHealth } from '../../../contract/evidence/derivation.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { plural } from '../../../contract/words.ts'
import { abortable } from './clock.ts'
import type { Clock } from './clock.ts'
import { PhaseFailure } from './errors.ts'
import { namedDocuments } from './left-out-documents.ts'
import type { Document } from './phases.ts'
import type { Count, PhaseLog, PhaseOutcome } from './phase-log.ts'

/**
 * graph_upload and drain: whole documents go to the graph engine, then the run waits until it has processed them, both within the
 * profile's one deadline. Without an engine both phases are skipped, for the reason that `client` gives then. Empties `documents`: nothing needs
 * them in memory while the engine works.
 */
export async function runGraphPhases(
  log: PhaseLog,
  client: GraphTargetClient | string,
  target: IngestionProfile['graph_target'],
  documents: Document[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.now() + target.timeout_seconds * 1000
  const trackIds = await log.run('graph_upload', async (count) => {
    if (typeof client === 'string') return skipped<string[] | null>(client, null)
    const damage = (await client.repair?.(signal)) ?? null
    if (damage !== null) await log.warn(`${damage}; these documents were extracted again`)
    return reach('graph_upload', target, null, () =>
      upload(client, documents.splice(0), deadline, clock, signal, count),
    )
  })
  await log.run('drain', async (count) => {
    if (typeof client === 'string') return skipped(client, undefined)
    if (trackIds === null) return skipped('nothing was uploaded', undefined)
    if (!target.wait_for_extraction) return skipped('the profile does not wait for extraction', undefined)
    const warn = (message: string): Promise<void> => log.warn(message)
    return reach('drain', target, undefined, () => drain(client, trackIds, deadline, clock, signal, count, warn))
  })
}

async function upload(
  client: GraphTargetClient,
  documents: readonly Document[],
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<string[]>> {
  const withText = documents.filter(({ text }) => text.trim() !== '')
  const empty = documents.length - withText.length
  const trackIds = new Set<string>()
  const uploadBatch = async (batch: readonly GraphDocument[], attempt: AbortSignal): Promise<string[]> => {
    if (client.uploadMany !== undefined) return (await client.uploadMany(batch, attempt)).trackIds
    return [(await client.upload(batch[0]!, attempt)).trackId]
  }
  let uploaded = 0
  for (const batch of batchesOf(withText, client.uploadMany === undefined ? 1 : BATCH.documents)) {
    for (const id of await withinDeadline((attempt) => uploadBatch(batch, attempt), deadline, clock, signal))
      trackIds.add(id)
    uploaded += batch.length
    count('documents_uploaded', uploaded, withText.length)
    await nextTurn()
  }
  const removed = client.retain?.(documents.map(({ path }) => path)) ?? 0
  if (removed > 0) count('documents_removed', removed)
  return { result: [...trackIds], note: empty === 0 ? null : `${empty} documents without text were omitted` }
}

/** Bounds of one upload: so that its transaction does not hold up other requests. */
const BATCH = { documents: 50, chars: 200_000 } as const

function* batchesOf(documents: readonly Document[], most: number): Generator<GraphDocument[]> {
  let batch: GraphDocument[] = []
  let chars = 0
  for (const { path: id, title, text } of documents) {
    batch.push({ id, title, text })
    chars += text.length
    if (batch.length < most && chars < BATCH.chars) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

async function drain(
  client: GraphTargetClient,
  trackIds: readonly string[],
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
  count: Count,
  warn: (message: string) => Promise<void>,
): Promise<PhaseOutcome<undefined>> {
  const { processed, failed } = await withinDeadline(
    (attempt) =>
      client.drain(trackIds, deadline, attempt, ({ done, total }) => {
        count('documents_extracted', done, total)
      }),
    deadline,
    clock,
    signal,
  )
  count('documents_processed', processed)
  count('documents_failed', failed.length)
  const health = client.health?.() ?? null
  for (const [name, value] of Object.entries(health ?? {})) count(name, value as number)
  // Most documents make a graph without the others, where an ingestion can try those again.
  const isKept = client.isCurrent !== undefined && failed.length < processed
  if (failed.length > 0 && isKept) await warn(leftOut(failed, processed))
  if (failed.length === 0 || isKept) return { result: undefined, note: health === null ? null : judged(health) }
  throw new PhaseFailure(
    'drain',
    `the graph engine failed on ${failed.length} of ${processed + failed.length} documents`,
    {
      service: 'graph_engine',
      documents: failed,
    },
  )
}

const leftOut = (failed: DrainResult['failed'], processed: number): string =>
  `the graph lacks ${plural(failed.length, 'document')} of ${processed + failed.length}: ${namedDocuments(failed)}; a new run tries them again`

/**
 * A note on documents in which nothing was found. A graph without any entity could answer nothing: it fails, so that no run counts it as built.
 */
function judged(health: ExtractionHealth): string | null {
  const { documents, documents_without_entity: without } = health
  if (documents > 0 && without === documents)
    throw new PhaseFailure(
      'drain',
      `the graph is empty: no entity was found in ${plural(documents, 'document')}. The extraction model may not know their language, or write names in another form`,
      { service: 'graph_engine' },
    )
  if (without === 0) return null
  return `${plural(without, 'document')} of ${documents} gave no entity`
}

/** Runs a call to the engine; the profile decides what an unavailable engine means. */
async function reach<Result>(
  phase: 'graph_upload' | 'drain',
  target: IngestionProfile['graph_target'],
  whenSkipped: Result,
  work: () => Promise<PhaseOutcome<Result>>,
): Promise<PhaseOutcome<Result>> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GraphUnavailableError) {
      if (target.on_unavailable === 'skip') return skipped(error.message, whenSkipped)
      throw failure(phase, `${error.message}. ${afterDeadline(target.timeout_seconds)}`, error.last, error)
    }
    throw error instanceof GraphTargetError ? failure(phase, error.message, error, error) : error
  }
}

const afterDeadline = (seconds: number): string =>
  `Ingest again, which goes on with the documents that are left, or raise graph_target.timeout_seconds of the profile (${seconds})`

const failure = (
  phase: 'graph_upload' | 'drain',
  message: string,
  answered: GraphTargetError | null,
  cause: Error,
): PhaseFailure =>
  new PhaseFailure(phase, message, {
    service: 'graph_engine',
    httpStatus: answered?.status ?? null,
    body: answered?.body?.slice(0, 2000) ?? null,
    cause,
  })

const skipped = <Result>(note: string, result: Result): PhaseOutcome<Result> => ({ result, status: 'skipped', note })

export interface GraphDocument {
  /** Stable id: uploading the same one again replaces or keeps it, never doubles it. */
  id: string
  title: string
  text: string
}

export interface DrainResult {
  processed: number
  failed: { document: string; error: string }[]
}

/** Documents of the queue that are extracted, and how many there are. */
export interface DrainProgress {
  done: number
  total: number
}

/** The graph engine as ingestion uses it. Both calls throw `GraphTargetError` for failures of the engine or the connection. */
export interface GraphTargetClient {
  upload(document: GraphDocument, signal: AbortSignal): Promise<{ trackId: string }>
  /** Waits until every tracked document is processed or has failed; `deadline` in milliseconds since 1970. */
  drain(
    trackIds: readonly string[],
    deadline: number,
    signal: AbortSignal,
    onProgress?: (progress: DrainProgress) => void,
  ): Promise<DrainResult>
  /** Uploads a batch at once; returns all tracks of its documents. Absent where the engine takes one document a request. */
  uploadMany?(documents: readonly GraphDocument[], signal: AbortSignal): Promise<{ trackIds: string[] }>
  /** Removes every document that is not listed and returns how many there were; absent where this platform does not own the engine. */
  retain?(ids: readonly string[]): number
  /** True when so many documents are in the graph, intact, and all of them were read by what would read them now; absent as above. */
  isCurrent?(documents: number): Promise<boolean>
  /** Removes documents whose stored bytes were changed from outside and returns what is damaged; absent as above. */
  repair?(signal: AbortSignal): Promise<string | null>
  /** Returns how the extraction of all documents went; absent as above. */
  health?(): ExtractionHealth
  /** Removes everything, for a cold start; absent as above. */
  clear?(): Promise<number>
}

/** A call to the graph engine that failed; a transient one may be retried. */
export class GraphTargetError extends Error {
  override readonly name = 'GraphTargetError'
  readonly transient: boolean
  readonly status: number | null
  readonly body: string | null

  constructor(message: string, options: { transient: boolean; status?: number; body?: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.transient = options.transient
    this.status = options.status ?? null
    this.body = options.body ?? null
  }
}

/** Transient failures until the deadline: the engine was unreachable. */
class GraphUnavailableError extends Error {
  override readonly name = 'GraphUnavailableError'
  readonly attempts: number
  readonly last: GraphTargetError | null

  constructor(attempts: number, last: GraphTargetError | null) {
    const reason = last === null ? 'no answer' : last.message
    super(`graph engine unavailable until the deadline, ${attempts} attempts: ${reason}`, { cause: last })
    this.attempts = attempts
    this.last = last
  }
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

/**
 * Repeats a call while it fails transiently, with doubling waits, until the deadline; then throws `GraphUnavailableError`. Also a call
 * that hangs ends at the deadline.
 */
async function withinDeadline<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result> {
  let last: GraphTargetError | null = null
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const left = deadline - clock.now()
    if (left <= 0) throw new GraphUnavailableError(attempt - 1, last)
    const timeout = AbortSignal.timeout(Math.ceil(left))
    try {
      const attemptSignal = AbortSignal.any([signal, timeout])
      return await abortable(call(attemptSignal), attemptSignal)
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) throw new GraphUnavailableError(attempt, last)
      if (!(error instanceof GraphTargetError) || !error.transient) throw error
      last = error
    }
    const wait = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_DELAY_MS)
    if (clock.now() + wait >= deadline) throw new GraphUnavailableError(attempt, last)
    await clock.sleep(wait, signal)
  }
}
