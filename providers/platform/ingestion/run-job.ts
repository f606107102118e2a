import type { IngestionPhase, IngestionPhaseRecord, IngestionProfile } from '../../../contract/index.ts'
import { EndNotStoredError, PhaseFailure, RunInterrupted, StateStoreUnavailableError } from './errors.ts'
import type { InterruptReason } from './errors.ts'
import { graphTargetOf, runGraphPhases } from './graph-phases.ts'
import type { IngestionDeps } from './ingestion-service.ts'
import { collectionDigest, freshProgress, idempotencyKey } from './job-record.ts'
import type { Job, JobProgress } from './job-record.ts'
import { embedMissing } from '../vector-store/stored-vectors.ts'
import { InvalidVectorError } from '../vector-store/vector-store.ts'
import { jobError } from './job-store.ts'
import type { JobStore, Lease } from './job-store.ts'
import { keptCutsFile, openKeptCuts } from './kept-cuts.ts'
import type { KeptCuts } from './kept-cuts.ts'
import { keptTextsFile, openKeptTexts } from './kept-texts.ts'
import type { KeptTexts } from './kept-texts.ts'
import { keptVectorsFile, openKeptVectors } from './kept-vectors.ts'
import type { KeptVectors } from './kept-vectors.ts'
import { plainTextParser } from './parsers.ts'
import { chunk, discover, embedChunks, finalize, parse, writeVectors } from './phases.ts'
import type { Document } from './phases.ts'

/** How a run ended for this process; an abandoned job belongs to another worker or runs again later. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'abandoned'

/**
 * Runs all phases of a leased job and stores how it ended. Renews the lease meanwhile; stops when it is lost, when cancellation is
 * requested, and when `interrupt` aborts with a `RunInterrupted`. Throws `EndNotStoredError` when the state store cannot be written.
 */
export async function runJob(
  deps: IngestionDeps,
  jobs: JobStore,
  job: Job,
  lease: Lease,
  interrupt: AbortSignal,
): Promise<RunEnd> {
  const heartbeat = startHeartbeat(jobs, lease, deps.leaseSeconds)
  const signal = AbortSignal.any([interrupt, heartbeat.signal])
  const log = new PhaseLog(deps.clock.now, (progress) => {
    signal.throwIfAborted()
    jobs.renew(lease, progress)
  })
  const kept = openKeptVectors(keptVectorsFile(deps.stateFile, job.collection), deps.embeddingSpace, deps.embed)
  try {
    await runPhases(deps, jobs, job, lease, log, kept, signal)
    jobs.finish(lease, 'completed', log.progress)
    return 'completed'
  } catch (error) {
    // An aborted call may throw an error of its own: the reason of the abort counts.
    const end = await endEarly(jobs, lease, log, signal.aborted ? signal.reason : error)
    // The next run must not fail by the same vectors. Those of a cancelled one are kept: a person who pauses a run cancels its ingestion.
    if (error instanceof InvalidVectorError) kept.remove()
    return end
  } finally {
    heartbeat.stop()
    kept.close()
  }
}

async function runPhases(
  deps: IngestionDeps,
  jobs: JobStore,
  job: Job,
  lease: Lease,
  log: PhaseLog,
  kept: KeptVectors,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = deps
  const { order, collection } = job
  const { profile } = order
  const checkLease = () => {
    signal.throwIfAborted()
    jobs.renew(lease)
  }
  const { documents, contentDigest } = await readCorpus(deps, jobs, job, lease, log, signal)
  const expected = await writeCollection(deps, job, documents, contentDigest, log, kept, checkLease, signal)
  const graph = order.graph ? (graphTargetOf(deps.graph, profile.name) ?? NO_ENGINE) : NOT_ASKED_FOR
  await runGraphPhases(log, graph, profile.graph_target, documents, clock, signal)
  await log.run('finalize', () => finalize(store, collection, expected))
}

/** discover and parse. The list of files ends with this call: it is about a kilobyte for each document. */
async function readCorpus(
  deps: IngestionDeps,
  jobs: JobStore,
  { order, collection }: Job,
  lease: Lease,
  log: PhaseLog,
  signal: AbortSignal,
): Promise<{ documents: Document[]; contentDigest: string }> {
  const { profile, revision } = order
  const parsers = [...(deps.parsers ?? []), plainTextParser]
  const { files, contentDigest } = await log.run('discover', (count) =>
    discover(deps.corpusRoots, order, deps.limits, jobs.knownHashes(), signal, count),
  )
  if (order.contentDigest === '')
    jobs.identify(lease, { ...order, contentDigest }, idempotencyKey(deps.consumer, revision, contentDigest))
  const documents = await readDocuments(deps, collection, (texts) =>
    log.run('parse', (count) => parse(files, profile.parser_order, parsers, texts, signal, count)),
  )
  return { documents, contentDigest }
}

const NO_ENGINE = 'graph engine not available'
const NOT_ASKED_FOR = 'no approach of the run reads the graph'

/** chunk to vector_write: what the collection must be then, null where none was written. Its chunks and vectors end with this call. */
async function writeCollection(
  deps: IngestionDeps,
  { collection, order: { profile, revision } }: Job,
  documents: readonly Document[],
  contentDigest: string,
  log: PhaseLog,
  kept: KeptVectors,
  checkLease: () => void,
  signal: AbortSignal,
): Promise<{ contentDigest: string; chunkCount: number } | null> {
  const { store, embeddingSpace: embeddingModel } = deps
  const digest = collectionDigest(revision, contentDigest, embeddingModel)
  const current = await store.info(collection)
  if (current?.contentDigest === digest) {
    const skip = { result: undefined, status: 'skipped', note: 'the collection has this corpus already' } as const
    await log.run('chunk', () => Promise.resolve(skip))
    await log.run('embed', () => Promise.resolve(skip))
    await log.run('vector_write', (count) => {
      count('chunks_written', current.chunkCount)
      return Promise.resolve(skip)
    })
    return { contentDigest: digest, chunkCount: current.chunkCount }
  }
  const chunks = await cutDocuments(deps, collection, profile, (known) =>
    log.run('chunk', (count) => chunk(documents, profile, kept.embed, known, signal, count)),
  )
  // The collection as it is has the vectors of every chunk that did not change.
  const missing = await embedMissing(store, collection, embeddingModel, kept.embed)
  const vectors = await log.run('embed', async (count) => {
    const outcome = await embedChunks(chunks, missing.embed, kept, signal, count)
    if (missing.reused > 0) count('chunks_unchanged', missing.reused)
    if (kept.reused > 0) count('vectors_reused', kept.reused)
    return { ...outcome, note: kept.problem }
  })
  const source = {
    dimensions: vectors.at(0)!.length,
    contentDigest: digest,
    embeddingModel,
  }
  const { on_unavailable: onUnavailable } = profile.vector_target
  const written = await log.run('vector_write', (count) =>
    writeVectors(store, collection, source, chunks, vectors, onUnavailable, checkLease, count),
  )
  if (!written) return null
  kept.remove()
  return { contentDigest: source.contentDigest, chunkCount: chunks.length }
}

/** Texts of an interrupted run are kept as well: the next one goes on from there. */
async function readDocuments<Result>(
  { stateFile }: IngestionDeps,
  collection: string,
  read: (kept: KeptTexts) => Promise<Result>,
): Promise<Result> {
  const texts = openKeptTexts(keptTextsFile(stateFile, collection))
  try {
    const result = await read(texts)
    texts.prune()
    return result
  } finally {
    texts.close()
  }
}

/** Cuts of a semantic chunker are kept with the collection; other chunkers embed nothing. */
async function cutDocuments<Result>(
  { stateFile, embeddingSpace }: IngestionDeps,
  collection: string,
  { chunker }: IngestionProfile,
  cut: (known: KeptCuts | null) => Promise<Result>,
): Promise<Result> {
  if (chunker.strategy !== 'semantic') return cut(null)
  const cuts = openKeptCuts(keptCutsFile(stateFile, collection), [embeddingSpace, chunker])
  try {
    const result = await cut(cuts)
    cuts.prune()
    return result
  } finally {
    cuts.close()
  }
}

async function endEarly(jobs: JobStore, lease: Lease, log: PhaseLog, error: unknown): Promise<RunEnd> {
  try {
    const { cause } = error as { cause?: unknown }
    // A lease that could not be renewed because the store cannot be written is a failure to report, not another worker's job.
    const isUnwritable = error instanceof RunInterrupted && cause instanceof StateStoreUnavailableError
    if (error instanceof RunInterrupted && !isUnwritable) return endInterrupted(jobs, lease, log, error.reason)
    fail(jobs, lease, log, isUnwritable ? cause : error)
    return 'failed'
  } catch (failed) {
    if (failed instanceof RunInterrupted) return 'abandoned'
    throw failed
  }
}

/** Stores that the run failed. Throws `EndNotStoredError` when that cannot be stored either. */
function fail(jobs: JobStore, lease: Lease, log: PhaseLog, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  const phase = log.end('failed', message)
  recordFailure(log, phase?.name ?? 'finalize', message, error)
  try {
    jobs.finish(lease, 'failed', log.progress)
  } catch (failed) {
    if (!(failed instanceof StateStoreUnavailableError)) throw failed
    if (!message.includes(failed.message)) recordFailure(log, phase?.name ?? 'finalize', failed.message, failed)
    throw new EndNotStoredError(lease, log.progress, failed)
  }
}

function endInterrupted(jobs: JobStore, lease: Lease, log: PhaseLog, reason: InterruptReason): RunEnd {
  switch (reason) {
    case 'cancelled':
      log.end('cancelled', null)
      jobs.finish(lease, 'cancelled', log.progress)
      return 'cancelled'
    case 'shutdown':
      jobs.release(lease)
      return 'abandoned'
    case 'lease_lost':
      return 'abandoned'
  }
}

function recordFailure(log: PhaseLog, phase: string, message: string, error: unknown): void {
  const { errors } = log.progress
  if (!(error instanceof PhaseFailure)) {
    errors.push(jobError(phase, message))
    return
  }
  const { file = null, service = null, httpStatus = null, body = null, documents = [] } = error.detail
  errors.push({ ...jobError(error.phase, message), file, service, http_status: httpStatus, body })
  for (const { document, error: reason } of documents)
    errors.push({ ...jobError(error.phase, reason), file: document, service })
}

function startHeartbeat(jobs: JobStore, lease: Lease, leaseSeconds: number): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const timer = setInterval(
    () => {
      try {
        jobs.renew(lease)
      } catch (error) {
        // Without a state store it is unknown which worker has the lease.
        controller.abort(error instanceof RunInterrupted ? error : new RunInterrupted('lease_lost', { cause: error }))
      }
    },
    (leaseSeconds * 1000) / 3,
  )
  return { signal: controller.signal, stop: () => clearInterval(timer) }
}

/** Result of a phase. skipped: it had nothing to do; the note gives the reason. */
export interface PhaseOutcome<Result> {
  result: Result
  status?: 'completed' | 'skipped'
  note?: string | null
}

/** Sets a count of a running phase; it is stored with the job's record. With `total` it is how far the phase has come. */
export type Count = (name: string, value: number, total?: number) => void

/** Counts within a phase are stored at most this often; starts and ends always are. */
const SAVE_EVERY_MS = 200

/** How far a phase has come, by its rate since it began. */
function progressOf(done: number, total: number, elapsedMs: number): NonNullable<IngestionPhaseRecord['progress']> {
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : null
  const left = Math.max(0, total - done)
  const secondsLeft = left === 0 ? 0 : perSecond === null || perSecond === 0 ? null : left / perSecond
  return { done, total, per_second: perSecond, seconds_left: secondsLeft }
}

/** The phases of one run, stored as they go. `save` throws when the run must stop. */
export class PhaseLog {
  readonly progress: JobProgress = freshProgress()
  readonly #now: () => number
  readonly #save: (progress: JobProgress) => void
  #savedMs = -Infinity

  constructor(now: () => number, save: (progress: JobProgress) => void) {
    this.#now = now
    this.#save = save
  }

  /** Runs one phase between its start and end stamps; a failure leaves it open for `end`. */
  async run<Result>(name: IngestionPhase, work: (count: Count) => Promise<PhaseOutcome<Result>>): Promise<Result> {
    const phase = this.#phase(name)
    phase.status = 'running'
    phase.started_at = new Date(this.#now()).toISOString()
    this.#store()
    const startedMs = this.#now()
    const outcome = await work((count, value, total) => {
      phase.counts[count] = value
      if (total !== undefined) phase.progress = progressOf(value, total, this.#now() - startedMs)
      if (this.#now() - this.#savedMs >= SAVE_EVERY_MS) this.#store()
    })
    this.#close(phase, outcome.status ?? 'completed')
    phase.note = outcome.note ?? null
    this.#store()
    return outcome.result
  }

  /** Closes the running phase, when there is one, and returns it; for runs that end early. */
  end(status: 'failed' | 'cancelled', error: string | null): IngestionPhaseRecord | null {
    const phase = this.progress.phases.find((candidate) => candidate.status === 'running')
    if (phase === undefined) return null
    this.#close(phase, status)
    phase.error = error
    return phase
  }

  #close(phase: IngestionPhaseRecord, status: IngestionPhaseRecord['status']): void {
    const ended = this.#now()
    phase.status = status
    phase.ended_at = new Date(ended).toISOString()
    phase.duration_ms = Math.max(0, ended - Date.parse(phase.started_at!))
  }

  #phase(name: IngestionPhase): IngestionPhaseRecord {
    return this.progress.phases.find((phase) => phase.name === name)!
  }

  #store(): void {
    this.#savedMs = this.#now()
    this.#save(this.progress)
  }
}
