import { z } from 'zod'
import { count } from '../common.ts'
import { RayJobStatus } from '../http/ray-job.ts'

const time = z.iso.datetime()

/** `working`: has claimed a cell; `idle`: is connected and has none; `ended`: has left the run; `lost`: its connection is gone without that. */
export const WorkerState = z.enum(['working', 'idle', 'ended', 'lost'])
export type WorkerState = z.infer<typeof WorkerState>

/** A process that makes cells of a run. */
export const WorkerView = z.strictObject({
  dataset_id: z.string(),
  name: z.string(),
  host: z.string(),
  pid: count,
  state: WorkerState,
  /** Cells that it has claimed. */
  in_hand: count,
  /** Those of them that could be named, at most 32: not a cell that failed before and is tried again, and none of a very large matrix. */
  cells: z.array(z.strictObject({ question_id: z.string(), model: z.string(), repeat: z.int().min(1) })).max(32),
  /** Rows that it has stored. */
  stored: count,
  started_at: time,
  /** States when its connection asked the database for something last; null once it is gone. */
  last_seen_at: time.nullable(),
})
export type WorkerView = z.infer<typeof WorkerView>

/** Workers that were sent to a Ray cluster together. */
export const RayJobView = z.strictObject({
  submission_id: z.string(),
  status: RayJobStatus,
  /** Holds what the cluster reports of the state; empty where it reports nothing. */
  message: z.string(),
  workers: count,
  started_at: time.nullable(),
  ended_at: time.nullable(),
})
export type RayJobView = z.infer<typeof RayJobView>

/** Who works on a run. */
export const RunWorkers = z.strictObject({
  /** Address of the database without credentials; null where the rows of runs are in files. */
  database: z.string().nullable(),
  /** Why the database could not be asked; null when it was. */
  problem: z.string().nullable(),
  /** Those that are connected first, then those that joined last; at most 200. */
  workers: z.array(WorkerView).max(200),
  /** Further ones, none of them connected. */
  left_out: count,
  /** The run's jobs on the cluster of RAY_URL, the latest first; null where that is not set. */
  ray: z
    .strictObject({ url: z.string(), problem: z.string().nullable(), jobs: z.array(RayJobView).max(50) })
    .nullable(),
})
export type RunWorkers = z.infer<typeof RunWorkers>

/** The end of what a job and its workers have printed. */
export const RayJobLogView = z.strictObject({ text: z.string(), is_cut: z.boolean() })
export type RayJobLogView = z.infer<typeof RayJobLogView>
