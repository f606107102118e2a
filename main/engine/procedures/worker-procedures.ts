import type { RayJobLogView, RunWorkers, WorkerView } from '../../../contract/control/run-workers.ts'
import { RefusalError } from '../../evidence/errors.ts'
import { databaseAddress } from '../../evidence/postgres/database-address.ts'
import { databaseStoreAt } from '../../evidence/postgres/database-store.ts'
import { workerState, type RunWorker } from '../../evidence/postgres/database-workers.ts'
import { withoutSecrets } from '../../lib/known-secrets.ts'
import { sanitizeForTerminal } from '../../lib/sanitize-for-terminal.ts'
import { RayError, rayJobLog, rayJobsOf, stopRayJob, type RayCluster, type RunOfRay } from '../../lib/ray-jobs.ts'
import { ControlFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { CellsInHand } from '../run-control/cells-in-hand.ts'
import { control } from './control-api.ts'

const MAX_WORKERS = 200
const MAX_JOBS = 50
/** The end of a log: what a person reads of it. */
const LOG_CHARACTERS = 64 * 1024

type DatasetWorker = RunWorker & { datasetId: string }

/** Those that are connected first; then whoever joined last. */
const byLife = (a: DatasetWorker, b: DatasetWorker): number =>
  Number(b.lastSeenAt !== null) - Number(a.lastSeenAt !== null) || b.startedAt.getTime() - a.startedAt.getTime()

export function workerProcedures(parts: EngineParts) {
  const cells = new CellsInHand()

  /** The names of what the workers of a dataset have in hand; empty where manifests cannot be read. */
  async function namesOf(runId: string, datasetId: string): ReturnType<CellsInHand['namesOf']> {
    const loaded = await parts.experiment.current().catch(() => null)
    const dataset = loaded?.datasets.find((each) => each.dataset.id === datasetId)
    if (loaded === null || dataset === undefined) return new Map()
    const repeats = parts.runs.requestOf(runId)?.repeats ?? parts.settings.inputs().repeats ?? 1
    return cells.namesOf({ runId, dataset, aliases: loaded.aliases, repeats })
  }

  async function viewOf(runId: string, worker: DatasetWorker): Promise<WorkerView> {
    const { datasetId, name, host, pid, inHand, claims, stored, startedAt, lastSeenAt } = worker
    const names = claims.length === 0 ? new Map<never, never>() : await namesOf(runId, datasetId)
    return {
      dataset_id: datasetId,
      name,
      host,
      pid,
      state: workerState(worker),
      in_hand: inHand,
      cells: claims.flatMap((claim) => names.get(claim) ?? []),
      stored,
      started_at: startedAt.toISOString(),
      last_seen_at: lastSeenAt?.toISOString() ?? null,
    }
  }

  async function get(runId: string): Promise<RunWorkers> {
    const { evidenceUrl } = parts.settings.inputs()
    if (evidenceUrl === null) return { database: null, problem: null, workers: [], left_out: 0, ray: null }
    const database = databaseAddress(evidenceUrl).label
    const [{ found, problem }, ray] = await Promise.all([
      workersIn(evidenceUrl, runId),
      jobsOf(clusterOf(parts), { runId, database }),
    ])
    const shown = found.toSorted(byLife).slice(0, MAX_WORKERS)
    const workers = await Promise.all(shown.map((worker) => viewOf(runId, worker)))
    return { database, problem, workers, left_out: found.length - shown.length, ray }
  }

  /** The cluster, for a job that belongs to the run. Throws `ControlFailure` or `RayError`. */
  async function clusterOfJob(runId: string, submissionId: string): Promise<RayCluster> {
    const cluster = clusterOf(parts)
    const { evidenceUrl } = parts.settings.inputs()
    const run = evidenceUrl === null ? null : { runId, database: databaseAddress(evidenceUrl).label }
    const jobs = cluster === null || run === null ? [] : await rayJobsOf(cluster, run)
    if (cluster === null || jobs.every((job) => job.submissionId !== submissionId))
      throw new ControlFailure('not_found', `The Ray cluster has no job ${submissionId} of the run ${runId}.`)
    return cluster
  }

  return {
    get: control.workers.get.handler(({ input }) => get(input.run_id)),
    jobLog: control.workers.jobLog.handler(async ({ input }) => {
      const cluster = await clusterOfJob(input.run_id, input.submission_id)
      return endOf(await rayJobLog(cluster, input.submission_id))
    }),
    cancelJob: control.workers.cancelJob.handler(async ({ input }) => {
      const cluster = await clusterOfJob(input.run_id, input.submission_id)
      await stopRayJob(cluster, input.submission_id)
      return get(input.run_id)
    }),
  }
}

function clusterOf({ settings }: EngineParts): RayCluster | null {
  const { rayUrl, rayToken } = settings.inputs()
  return rayUrl === null ? null : { url: rayUrl, token: rayToken }
}

async function workersIn(address: string, runId: string): Promise<{ found: DatasetWorker[]; problem: string | null }> {
  try {
    return { found: await databaseStoreAt(address).workersOfRun(runId), problem: null }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    const { message, remedy } = error.refusal
    return { found: [], problem: `${message}: ${remedy}` }
  }
}

async function jobsOf(cluster: RayCluster | null, run: RunOfRay): Promise<RunWorkers['ray']> {
  if (cluster === null) return null
  const { url } = cluster
  try {
    const jobs = (await rayJobsOf(cluster, run)).slice(0, MAX_JOBS)
    return {
      url,
      problem: null,
      jobs: jobs.map(({ submissionId, status, message, workers, startedAt, endedAt }) => ({
        submission_id: submissionId,
        status,
        message,
        workers,
        started_at: startedAt?.toISOString() ?? null,
        ended_at: endedAt?.toISOString() ?? null,
      })),
    }
  } catch (error) {
    if (!(error instanceof RayError)) throw error
    return { url, problem: error.message, jobs: [] }
  }
}

/** Whole lines of the end of a log. */
function endOf(log: string): RayJobLogView {
  const isCut = log.length > LOG_CHARACTERS
  const end = isCut ? log.slice(-LOG_CHARACTERS) : log
  const lines = (isCut ? end.slice(end.indexOf('\n') + 1) : end).split('\n')
  return { text: withoutSecrets(lines.map(sanitizeForTerminal).join('\n')), is_cut: isCut }
}
