import { EndNotStoredError, RunInterrupted, PhaseFailure, StateStoreUnavailableError } from './errors.ts'
import type { InterruptReason } from './errors.ts'
import { runGraphPhases } from './graph-phases.ts'
import { graphTargetOf } from './graph-target.ts'
import type { IngestionDeps } from './ingestion-deps.ts'
import { jobError } from './job-store.ts'
import type { JobStore, Lease } from './job-store.ts'
import type { Job } from './job-record.ts'
import { PhaseLog } from './phase-log.ts'
import { chunk, discover, embedChunks, finalize, parse, writeVectors } from './phases.ts'
import { plainTextParser } from './plain-text-parser.ts'
import { collectionDigest } from './profile-revision.ts'

/** How a run ended for this process; a job that was given up is somebody else's or runs again later. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'given_up'

/**
 * Runs all phases of a leased job and stores how it ended. Renews the lease meanwhile; stops when it is lost, when cancellation is
 * asked for, and when `interrupt` aborts with a `RunInterrupted`. Throws `EndNotStoredError` when the state store cannot be written.
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
  try {
    await runPhases(deps, job, log, signal, () => {
      signal.throwIfAborted()
      jobs.renew(lease)
    })
    jobs.finish(lease, 'completed', log.progress)
    return 'completed'
  } catch (error) {
    // A call that was aborted may throw an error of its own: what counts is why.
    return await endEarly(jobs, lease, log, signal.aborted ? signal.reason : error)
  } finally {
    heartbeat.stop()
  }
}

async function runPhases(
  deps: IngestionDeps,
  job: Job,
  log: PhaseLog,
  signal: AbortSignal,
  checkLease: () => void,
): Promise<void> {
  const { store, embed, clock } = deps
  const { order, collection } = job
  const { profile } = order
  const parsers = [...(deps.parsers ?? []), plainTextParser]
  const corpus = await log.run('discover', (count) => discover(deps.corpusRoot, order, deps.limits, signal, count))
  const documents = await log.run('parse', (count) => parse(corpus.files, profile.parser_order, parsers, signal, count))
  const chunks = await log.run('chunk', (count) => chunk(documents, profile, embed, signal, count))
  const vectors = await log.run('embed', (count) => embedChunks(chunks, embed, signal, count))
  const source = {
    dimensions: vectors[0]!.length,
    contentDigest: collectionDigest(order.revision, order.contentDigest, deps.embeddingModelName),
    embeddingModel: deps.embeddingModelName,
  }
  const written = await log.run('vector_write', (count) =>
    writeVectors(store, collection, source, chunks, vectors, profile.vector_target.on_unavailable, checkLease, count),
  )
  const graph = graphTargetOf(deps.graph, profile.name)
  await runGraphPhases(log, graph, profile.graph_target, documents, clock, signal)
  await log.run('finalize', () =>
    finalize(store, collection, written ? { ...source, chunkCount: chunks.length } : null),
  )
}

async function endEarly(jobs: JobStore, lease: Lease, log: PhaseLog, error: unknown): Promise<RunEnd> {
  try {
    const { cause } = error as { cause?: unknown }
    // A lease that could not be renewed because the store cannot be written is a failure to report, not somebody else's job.
    const isUnwritable = error instanceof RunInterrupted && cause instanceof StateStoreUnavailableError
    if (error instanceof RunInterrupted && !isUnwritable) return endInterrupted(jobs, lease, log, error.reason)
    fail(jobs, lease, log, isUnwritable ? cause : error)
    return 'failed'
  } catch (failed) {
    if (failed instanceof RunInterrupted) return 'given_up'
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
      return 'given_up'
    case 'lease_lost':
      return 'given_up'
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
  for (const { document, error: said } of documents)
    errors.push({ ...jobError(error.phase, said), file: document, service })
}

function startHeartbeat(jobs: JobStore, lease: Lease, leaseSeconds: number): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const timer = setInterval(
    () => {
      try {
        jobs.renew(lease)
      } catch (error) {
        // Without a state store there is no telling who has the lease.
        controller.abort(error instanceof RunInterrupted ? error : new RunInterrupted('lease_lost', { cause: error }))
      }
    },
    (leaseSeconds * 1000) / 3,
  )
  return { signal: controller.signal, stop: () => clearInterval(timer) }
}
