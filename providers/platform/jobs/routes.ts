import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UserPage } from '../http/user-page.ts'
import { HttpError } from '../../kit/http-error.ts'
import { parseRequest } from '../../kit/validate.ts'
import { namedUser, subjectOf } from '../identity/guard.ts'
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

/** A job in the list of jobs. */
export interface ListedJob extends JobState {
  kind: string
  user_id: string | null
  created_at: string
  updated_at: string
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
 * State, result and log of background jobs, and their cancellation: 403 for one that another secret signed, 404 for an unknown one, 409 for one that
 * has ended. Jobs of the kinds in `hidden` are unknown here: they have routes of their own, which other principals may use. `stop` asks a
 * job of this process to stop; one of another process stops when its lease is renewed.
 */
export function registerTaskRoutes(
  app: FastifyInstance,
  store: TaskStore,
  hidden: readonly string[] = [],
  stop: (id: string) => void = () => {},
): void {
  app.get('/jobs', async (request): Promise<{ jobs: ListedJob[] }> => {
    const { user_id: given, limit, offset } = parseRequest(UserPage, request.query, 'query')
    const found = await store.listOthers(hidden, namedUser(request, given), limit, offset)
    const jobs: ListedJob[] = []
    for (const task of found)
      jobs.push({
        ...(await jobState(task, store)),
        kind: task.kind,
        user_id: task.subject,
        created_at: new Date(task.createdMs).toISOString(),
        updated_at: new Date(task.updatedMs).toISOString(),
      })
    return { jobs }
  })

  app.post('/jobs/:job_id/cancel', async (request, reply) => {
    const { id, status } = await jobOf(request)
    if (status !== 'pending' && status !== 'running')
      throw new HttpError(409, `The job has ended: it is ${STATUS[status]}`)
    await store.cancel(id)
    stop(id)
    void reply.code(202)
    return { job_id: id, status: 'cancel_requested' }
  })

  app.get('/jobs/:job_id', async (request): Promise<JobState> => jobState(await jobOf(request), store))

  async function jobOf(request: FastifyRequest): Promise<Task> {
    const { job_id: id } = parseRequest(JobParams, request.params, 'path')
    const task = await taskOf(store, id)
    const subject = subjectOf(request)
    // The job of another user is as unknown as one that never was.
    if (task === null || hidden.includes(task.kind) || (subject !== null && task.subject !== subject))
      throw new HttpError(404, `Unknown job: '${id}'`)
    return task
  }
}

/** Throws 403 for a task that another secret signed. */
export async function taskOf(store: TaskStore, id: string): Promise<Task | null> {
  try {
    return await store.get(id)
  } catch (error) {
    if (error instanceof TaskSignatureError) throw new HttpError(403, 'Task signature mismatch', { cause: error })
    throw error
  }
}

async function jobState(task: Task, store: TaskStore): Promise<JobState> {
  return {
    job_id: task.id,
    status: STATUS[task.status],
    ready: task.status !== 'pending' && task.status !== 'running',
    successful: task.status === 'succeeded',
    failed: task.status === 'failed',
    result: task.result,
    error: task.error,
    traceback: null,
    log: await store.logOf(task.id),
  }
}
