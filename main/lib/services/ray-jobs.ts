import { z } from 'zod'
import { RayJob, RayJobLog, RayJobStopped, RayJobSubmitted } from '../../../contract/http/ray-job.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { describeIssues } from '../../../core/issues.ts'
import { credentialHeaders } from '../trust/credential-headers.ts'
import { messageOf } from '../../../core/json.ts'
import { serviceText } from '../../../core/known-secrets.ts'

// Workers of a run as jobs of a Ray cluster, over the HTTP API of its dashboard. A job carries the names of its run as metadata, so that every
// machine that reaches the cluster finds it again and nothing is stored beside the run. Nothing secret may be in a job: the cluster shows
// its command and its environment to everybody who reaches the dashboard.

/** A Ray cluster, by the address of its dashboard. */
export interface RayCluster {
  url: string
  token: string | null
}

/** A cluster that cannot be reached or refuses a request; the message names its address and what to do. */
export class RayError extends Error {
  override readonly name = 'RayError'
  readonly code: 'ray_unreachable' | 'ray_refused'

  constructor(code: RayError['code'], message: string, cause?: unknown) {
    super(serviceText(message), { cause })
    this.code = code
  }
}

/** The workers of one submission. */
export interface RunJobOfRay {
  submissionId: string
  status: RayJob['status']
  /** One line of what the cluster reports of the state; empty where it reports nothing. */
  message: string
  workers: number
  startedAt: Date | null
  endedAt: Date | null
}

/** Which run a job works for, and where its rows are. */
export interface RunOfRay {
  runId: string
  /** Address of the database without credentials. */
  database: string
}

const TIMEOUT_MS = 30_000
/** The log of a job comes as a whole. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Names of our own fields among a job's metadata. */
const FIELD = { run: 'rag_ladder_run', database: 'rag_ladder_database', workers: 'rag_ladder_workers' } as const

/** Submits a command that starts workers; resolves with the id of the job. Throws `RayError`. */
export async function submitRayJob(
  cluster: RayCluster,
  run: RunOfRay,
  { workers, entrypoint }: { workers: number; entrypoint: string },
  now = new Date(),
): Promise<string> {
  const time = now.toISOString().replaceAll(/\D/g, '')
  const body = {
    submission_id: `rag-ladder-${run.runId}-${time}`,
    entrypoint,
    metadata: { [FIELD.run]: run.runId, [FIELD.database]: run.database, [FIELD.workers]: String(workers) },
  }
  return (await ask(cluster, RayJobSubmitted, 'POST', '/api/jobs/', body)).submission_id
}

/** The jobs of a run, the latest first. Throws `RayError`. */
export async function rayJobsOf(cluster: RayCluster, { runId, database }: RunOfRay): Promise<RunJobOfRay[]> {
  const jobs = await ask(cluster, z.array(RayJob), 'GET', '/api/jobs/')
  const time = (ms: number | null | undefined): Date | null => (typeof ms === 'number' && ms > 0 ? new Date(ms) : null)
  return jobs
    .flatMap(({ submission_id: id, status, message, metadata, start_time, end_time }) => {
      if (typeof id !== 'string' || metadata?.[FIELD.run] !== runId || metadata[FIELD.database] !== database) return []
      return {
        submissionId: id,
        status,
        message: reasonOf(message ?? ''),
        workers: Number(metadata[FIELD.workers] ?? 0),
        startedAt: time(start_time),
        endedAt: time(end_time),
      }
    })
    .toSorted((a, b) => (a.submissionId < b.submissionId ? 1 : -1))
}

/** The first line of what Ray reports of a state, without the end of the log that it adds for a failed job. */
function reasonOf(message: string): string {
  const [line = ''] = message.trim().split('\n')
  return serviceText(line.replace(/, last available logs.*$/, ''), 300)
}

/** Returns what a job and its workers have printed so far. Throws `RayError`. */
export async function rayJobLog(cluster: RayCluster, submissionId: string): Promise<string> {
  return (await ask(cluster, RayJobLog, 'GET', `${pathOf(submissionId)}/logs`)).logs
}

/** Asks the cluster to stop a job; false where it had ended. Throws `RayError`. */
export async function stopRayJob(cluster: RayCluster, submissionId: string): Promise<boolean> {
  return (await ask(cluster, RayJobStopped, 'POST', `${pathOf(submissionId)}/stop`, {})).stopped
}

export const isOver = (status: RayJob['status']): boolean => status !== 'PENDING' && status !== 'RUNNING'

const pathOf = (submissionId: string): string => `/api/jobs/${encodeURIComponent(submissionId)}`

async function ask<Schema extends z.ZodType>(
  { url, token }: RayCluster,
  schema: Schema,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<z.infer<Schema>> {
  const address = `${url.replace(/\/+$/, '')}${path}`
  // A connection of its own: one that is kept may be closed by a cluster that was started again.
  const limits = { timeoutMs: TIMEOUT_MS, limitBytes: MAX_ANSWER_BYTES, reset: true }
  const client = createHttpClient(credentialHeaders({ apiKey: token }))
  const { status, text, json } = await client
    .send(address, { method, json: body, ...limits })
    .catch((error: unknown) => {
      const why = error instanceof HttpFault ? error.reason : messageOf(error)
      const advice = 'name the address of its dashboard, such as http://head:8265, and check that it runs'
      const message = `${method} ${address}: the Ray cluster cannot be reached (${why}): ${advice}`
      throw new RayError('ray_unreachable', message, error)
    })
  if (status !== 200) throw new RayError('ray_refused', refusalOf(`${method} ${address}`, status, text))
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const problem = `${method} ${address}: the answer is not one of Ray's job API (${describeIssues(parsed.error)[0]})`
  throw new RayError('ray_refused', `${problem}: name the address of a Ray dashboard`)
}

function refusalOf(request: string, status: number, text: string): string {
  if (status === 401 || status === 403)
    return `${request}: the Ray cluster refuses the token (HTTP ${status}): set RAY_AUTH_TOKEN to that of the cluster`
  // Ray answers with a stack trace: the last line has the reason.
  const reason = serviceText(text.trim().split('\n').at(-1) ?? '', 300)
  return `${request}: HTTP ${status}${reason === '' ? '' : `: ${reason}`}`
}
