import type { RayJobLogView, RunWorkers, WorkerView } from '../../../contract/control/run-workers.ts'
import { RefusalError } from '../../evidence/errors.ts'
import { databaseAddress } from '../../evidence/postgres/database-address.ts'
import { databaseStoreAt } from '../../evidence/postgres/database-store.ts'
import { workerState, type RunWorker } from '../../evidence/postgres/database-workers.ts'
import { withoutSecrets } from '../../../core/known-secrets.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import {
  RayError,
  rayJobLog,
  rayJobsOf,
  stopRayJob,
  type RayCluster,
  type RunOfRay,
} from '../../lib/services/ray-jobs.ts'
import { ControlFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import { control } from './control-api.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { cellId } from '../../evidence/rows/row-id.ts'

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

/** Describes what a page can name of a claim in a database, which is a part of a hash. */
interface NamedCell {
  question_id: string
  model: string
  repeat: number
}

/** Digits of a row id that a claim shows. */
const DIGITS = 16
/** A larger matrix is not named: its hashes would take seconds. */
const MAX_CELLS = 100_000
/** Hashes between two turns of the event loop. */
const PIECE = 2000

interface Names {
  runId: string
  dataset: LadderDataset
  aliases: Experiment['aliases']
  repeats: number
}

/** Finds the cells that claims are on. Keeps the names of the dataset run that it was asked for last. */
class CellsInHand {
  #last: { of: Names; names: Promise<ReadonlyMap<string, NamedCell>> } | null = null

  /** By claim; those that are not the first row of a cell of this dataset are left out. */
  namesOf(of: Names): Promise<ReadonlyMap<string, NamedCell>> {
    const last = this.#last
    const isSame =
      last !== null &&
      last.of.runId === of.runId &&
      last.of.dataset === of.dataset &&
      last.of.aliases === of.aliases &&
      last.of.repeats === of.repeats
    if (isSame) return last.names
    const names = hashed(of)
    this.#last = { of, names }
    return names
  }
}

async function hashed({ runId, dataset, aliases, repeats }: Names): Promise<ReadonlyMap<string, NamedCell>> {
  const names = new Map<string, NamedCell>()
  if (dataset.questions.length * aliases.size * repeats > MAX_CELLS) return names
  for (let repeat = 1; repeat <= repeats; repeat += 1)
    for (const { id: question_id } of dataset.questions)
      for (const model of aliases.keys()) {
        const id = cellId({ run_id: runId, dataset_id: dataset.dataset.id, question_id, model, repeat })
        names.set(id.slice(0, DIGITS), { question_id, model, repeat })
        if (names.size % PIECE === 0) await new Promise((turn) => setImmediate(turn))
      }
  return names
}
