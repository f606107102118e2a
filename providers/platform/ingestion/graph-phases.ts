import type { IngestionProfile } from '../../../contract/index.ts'
import type { Clock } from './clock.ts'
import { PhaseFailure } from './errors.ts'
import { GraphTargetError, GraphUnavailableError, withinDeadline } from './graph-target.ts'
import type { GraphTargetClient } from './graph-target.ts'
import type { Count, PhaseLog, PhaseOutcome } from './phase-log.ts'
import type { Document } from './phases.ts'

const ABSENT = 'graph engine not available'

/**
 * graph_upload and drain: whole documents go to the graph engine, then the run waits until it has processed them, both within the
 * profile's one deadline. Without an engine both phases are skipped.
 */
export async function runGraphPhases(
  log: PhaseLog,
  client: GraphTargetClient | null,
  target: IngestionProfile['graph_target'],
  documents: readonly Document[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.now() + target.timeout_seconds * 1000
  const trackIds = await log.run('graph_upload', async (count) => {
    if (client === null) return skipped<string[] | null>(ABSENT, null)
    return reach('graph_upload', target, null, () => upload(client, documents, deadline, clock, signal, count))
  })
  await log.run('drain', async (count) => {
    if (client === null) return skipped(ABSENT, undefined)
    if (trackIds === null) return skipped('nothing was uploaded', undefined)
    if (!target.wait_for_extraction) return skipped('the profile does not wait for extraction', undefined)
    return reach('drain', target, undefined, () => drain(client, trackIds, deadline, clock, signal, count))
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
  const trackIds: string[] = []
  let empty = 0
  for (const { path: id, title, text } of documents) {
    if (text.trim() === '') {
      empty += 1
      continue
    }
    const { trackId } = await withinDeadline(
      (attempt) => client.upload({ id, title, text }, attempt),
      deadline,
      clock,
      signal,
    )
    trackIds.push(trackId)
    count('documents_uploaded', trackIds.length)
  }
  const removed = client.retain?.(documents.map(({ path }) => path)) ?? 0
  if (removed > 0) count('documents_removed', removed)
  return { result: trackIds, note: empty === 0 ? null : `${empty} documents without text were left out` }
}

async function drain(
  client: GraphTargetClient,
  trackIds: readonly string[],
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
  count: Count,
): Promise<PhaseOutcome<undefined>> {
  const { processed, failed } = await withinDeadline(
    (attempt) => client.drain(trackIds, deadline, attempt),
    deadline,
    clock,
    signal,
  )
  count('documents_processed', processed)
  count('documents_failed', failed.length)
  if (failed.length === 0) return { result: undefined }
  throw new PhaseFailure('drain', `the graph engine failed on ${failed.length} of ${trackIds.length} documents`, {
    service: 'graph_engine',
    documents: failed,
  })
}

/** Runs a call to the engine; what its absence means is the profile's to say. */
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
      throw failure(phase, error.message, error.last, error)
    }
    throw error instanceof GraphTargetError ? failure(phase, error.message, error, error) : error
  }
}

const failure = (
  phase: 'graph_upload' | 'drain',
  message: string,
  said: GraphTargetError | null,
  cause: Error,
): PhaseFailure =>
  new PhaseFailure(phase, message, {
    service: 'graph_engine',
    httpStatus: said?.status ?? null,
    body: said?.body?.slice(0, 2000) ?? null,
    cause,
  })

const skipped = <Result>(note: string, result: Result): PhaseOutcome<Result> => ({ result, status: 'skipped', note })
