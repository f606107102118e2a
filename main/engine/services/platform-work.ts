import { z } from 'zod'
import type { PlatformWork, PlatformWorkInput } from '../../../contract/control/services.ts'
import { createPlatformClient, PlatformError } from '../../runner/platform/platform-client.ts'
import type { PlatformAddress, PlatformClient } from '../../runner/platform/platform-client.ts'

const MOST = 50
const Log = z.array(z.object({ message: z.string() }))
const At = { created_at: z.iso.datetime(), updated_at: z.iso.datetime() }
const Jobs = z.object({
  jobs: z.array(
    z.object({
      job_id: z.string(),
      kind: z.string(),
      status: z.string(),
      ready: z.boolean(),
      error: z.string().nullable(),
      log: Log,
      ...At,
    }),
  ),
})
const Sessions = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      query: z.string(),
      status: z.string(),
      cancel_requested: z.boolean(),
      error: z.string().nullable(),
      ...At,
    }),
  ),
})
const SessionLogs = z.object({ logs: Log })
const Operations = z.object({
  operations: z.array(
    z.object({
      operation_id: z.string(),
      provider: z.string(),
      model: z.string(),
      modality: z.string(),
      status: z.string(),
      cost_usd: z.number().nullable(),
      error: z.string().nullable(),
      log: Log,
      ...At,
    }),
  ),
})

const CANCEL_PATH = {
  job: (id: string) => `/jobs/${id}/cancel`,
  research: (id: string) => `/research/${id}/cancel`,
  media: (id: string) => `/media/operations/${id}/cancel`,
} as const satisfies Record<PlatformWork['kind'], (id: string) => string>

/** The platform names states of jobs as Celery does. */
const JOB_STATES: Readonly<Record<string, string>> = {
  PENDING: 'pending',
  STARTED: 'running',
  SUCCESS: 'succeeded',
  FAILURE: 'failed',
  REVOKED: 'cancelled',
}

const newest = (log: z.infer<typeof Log>): string | null => log.at(-1)?.message ?? null

/**
 * Background jobs, research sessions and media operations of a platform: open ones first, then the newest, at most 50 of each kind. A platform that
 * does not have the routes of a kind has none of it. Throws `PlatformError`.
 */
export async function platformWork(address: PlatformAddress): Promise<PlatformWork[]> {
  return withClient(address, list)
}

/** Asks for cancellation and returns the list after it. Throws `PlatformError`. */
export async function cancelPlatformWork(
  address: PlatformAddress,
  { kind, id }: PlatformWorkInput,
): Promise<PlatformWork[]> {
  return withClient(address, async (client) => {
    await client.ask(z.object({ status: z.string() }), 'POST', CANCEL_PATH[kind](encodeURIComponent(id)), {})
    return list(client)
  })
}

async function withClient<Result>(
  address: PlatformAddress,
  use: (client: PlatformClient) => Promise<Result>,
): Promise<Result> {
  const client = createPlatformClient(address)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

async function list(client: PlatformClient): Promise<PlatformWork[]> {
  const all = await Promise.all([jobs(client), research(client), media(client)])
  return all
    .flat()
    .sort(
      (left, right) => Number(right.is_open) - Number(left.is_open) || (left.created_at < right.created_at ? 1 : -1),
    )
}

async function jobs(client: PlatformClient): Promise<PlatformWork[]> {
  const { jobs: found } = await orNone(client.ask(Jobs, 'GET', `/jobs?limit=${MOST}`), { jobs: [] })
  return found.map(({ job_id: id, kind, status, ready, error, log, ...at }) => ({
    kind: 'job',
    id,
    title: kind.replaceAll('_', ' '),
    status: JOB_STATES[status] ?? status,
    is_open: !ready,
    can_cancel: !ready,
    progress: newest(log),
    error,
    cost_usd: null,
    ...at,
  }))
}

async function research(client: PlatformClient): Promise<PlatformWork[]> {
  const path = '/research/sessions'
  const { sessions } = await orNone(client.ask(Sessions, 'GET', `${path}?limit=${MOST}`), { sessions: [] })
  return Promise.all(
    sessions.map(async ({ session_id: id, query, status, cancel_requested: isCancelling, error, ...at }) => {
      const isOpen = ['pending', 'running'].includes(status)
      // The log of a session that has ended adds nothing to its state.
      const log = isOpen ? (await client.ask(SessionLogs, 'GET', `/research/${id}/logs`)).logs : []
      const canCancel = isOpen && !isCancelling
      const work = { kind: 'research' as const, id, title: query, status, is_open: isOpen, can_cancel: canCancel }
      return { ...work, progress: newest(log), error, cost_usd: null, ...at }
    }),
  )
}

const CANCELLABLE = new Set(['queued', 'running'])
const OPEN = new Set([...CANCELLABLE, 'submitting', 'cancellation_requested', 'submission_unknown'])

async function media(client: PlatformClient): Promise<PlatformWork[]> {
  const path = `/media/operations?limit=${MOST}`
  const { operations } = await orNone(client.ask(Operations, 'GET', path), { operations: [] })
  return operations.map(
    ({ operation_id: id, provider, model, modality, status, cost_usd: cost, error, log, ...at }) => ({
      kind: 'media',
      id,
      title: `${modality}, ${provider} ${model}`,
      status: status.replaceAll('_', ' '),
      is_open: OPEN.has(status),
      can_cancel: CANCELLABLE.has(status),
      progress: newest(log),
      error,
      cost_usd: cost,
      ...at,
    }),
  )
}

async function orNone<Answer>(asked: Promise<Answer>, none: Answer): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return none
    throw error
  }
}
