import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { HttpError } from '../../kit/http-error.ts'
import { parseRequest } from '../../kit/validate.ts'
import { subjectOf } from '../identity/guard.ts'
import { TaskSignatureError } from './task-store.ts'
import type { Task, TaskStore } from './task-store.ts'

/** `GET /jobs/:job_id`, with the words of Celery's results. */
export interface JobState {
  job_id: string
  status: 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE' | 'REVOKED'
  ready: boolean
  successful: boolean
  failed: boolean
  result: unknown
  error: string | null
  /** Always null: a stack is for the log. */
  traceback: null
  log: { at: string; message: string }[]
}

const JobParams = z.object({ job_id: z.string().min(1).max(128) })

const STATUS = {
  pending: 'PENDING',
  running: 'STARTED',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'REVOKED',
} as const satisfies Record<Task['status'], JobState['status']>

/**
 * State, result and log of a background job: 403 for one that another secret signed, 404 for an unknown one. Jobs of the kinds in `hidden` are
 * unknown here: they have routes of their own, which other principals may use.
 */
export function registerTaskRoutes(app: FastifyInstance, store: TaskStore, hidden: readonly string[] = []): void {
  app.get('/jobs/:job_id', async (request): Promise<JobState> => {
    const { job_id: id } = parseRequest(JobParams, request.params, 'path')
    const task = taskOf(store, id)
    const subject = subjectOf(request)
    // The job of another user is as unknown as one that never was.
    if (task === null || hidden.includes(task.kind) || (subject !== null && task.subject !== subject))
      throw new HttpError(404, `Unknown job: '${id}'`)
    return jobState(task, store)
  })
}

/** Throws 403 for a task that another secret signed. */
export function taskOf(store: TaskStore, id: string): Task | null {
  try {
    return store.get(id)
  } catch (error) {
    if (error instanceof TaskSignatureError) throw new HttpError(403, 'Task signature mismatch', { cause: error })
    throw error
  }
}

export function jobState(task: Task, store: TaskStore): JobState {
  return {
    job_id: task.id,
    status: STATUS[task.status],
    ready: task.status !== 'pending' && task.status !== 'running',
    successful: task.status === 'succeeded',
    failed: task.status === 'failed',
    result: task.result,
    error: task.error,
    traceback: null,
    log: store.logOf(task.id),
  }
}
