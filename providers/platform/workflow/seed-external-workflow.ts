import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import type { WorkflowApiSettings } from './workflow-api-settings.ts'

/**
 * Import and activation of the declared workflow in an n8n, by its public API: found by the id of the file (as `n8n import:workflow` keeps it), else by
 * name; added when it is not there, replaced when it differs, activated when it is not active. Doing it again changes nothing.
 */

/** Describes what of an export the public API takes; it chooses ids itself and refuses other fields. */
const Export = z.object({
  id: z.string().optional(),
  name: z.string().min(1),
  nodes: z.array(z.looseObject({ name: z.string() })),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()).default({}),
})
type Export = z.infer<typeof Export>

const Stored = z.object({
  id: z.string().min(1).max(100),
  name: z.string(),
  active: z.boolean(),
  isArchived: z.boolean().optional(),
  createdAt: z.string().default(''),
  nodes: z.array(z.looseObject({})),
  connections: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()).nullish(),
})
type Stored = z.infer<typeof Stored>
const Page = z.object({ data: z.array(Stored), nextCursor: z.string().nullish() })

export interface SeedOutcome {
  id: string
  workflow: 'created' | 'updated' | 'unchanged'
  activation: 'activated' | 'unchanged'
}

/** The engine did not do what it was asked for. `isTransient`: it may, a moment later. */
class WorkflowSeedError extends Error {
  override readonly name = 'WorkflowSeedError'
  readonly isTransient: boolean

  constructor(message: string, isTransient: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isTransient = isTransient
  }
}

export type SeedSettings = Omit<WorkflowApiSettings, 'url' | 'apiKey'> & { url: string; apiKey: string }

const RETRY_MS = 1000
const PAGE_SIZE = 100

/**
 * Imports and activates a workflow; an engine that is not there yet is asked again for `seedTimeoutMs`. Throws `WorkflowSeedError`, or the signal's reason.
 */
export async function seedExternalWorkflow(
  file: unknown,
  settings: SeedSettings,
  signal: AbortSignal,
  retryMs = RETRY_MS,
): Promise<SeedOutcome> {
  const parsed = Export.safeParse(file)
  if (!parsed.success) throw new WorkflowSeedError('the declared workflow is not an export of n8n', false)
  const deadlineMs = Date.now() + settings.seedTimeoutMs
  for (;;) {
    try {
      return await seedOnce(parsed.data, apiOf(settings, deadlineMs, signal))
    } catch (error) {
      signal.throwIfAborted()
      const isLast = !(error instanceof WorkflowSeedError && error.isTransient) || Date.now() + retryMs >= deadlineMs
      if (isLast) throw error
      await wait(retryMs, undefined, { signal })
    }
  }
}

type Api = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<{ status: number; body: unknown }>

async function seedOnce(wanted: Export, api: Api): Promise<SeedOutcome> {
  const { id: _id, ...content } = wanted
  const stored = await find(wanted, api)
  if (stored === null) {
    const created = expectStored(await api('POST', '/workflows', content), 'an import')
    return { id: created.id, workflow: 'created', activation: await activate(created, api) }
  }
  if (isSame(wanted, stored)) return { id: stored.id, workflow: 'unchanged', activation: await activate(stored, api) }
  const updated = expectStored(await api('PUT', `/workflows/${encodeURIComponent(stored.id)}`, content), 'an update')
  return { id: updated.id, workflow: 'updated', activation: await activate(updated, api) }
}

/** Of several with the name, as two platforms that start at once can leave them, the oldest. */
async function find({ id, name }: Export, api: Api): Promise<Stored | null> {
  if (id !== undefined && /^[A-Za-z0-9_-]{1,100}$/.test(id)) {
    const answer = await api('GET', `/workflows/${id}`)
    if (answer.status === 200) {
      const stored = expectStored(answer, 'a workflow')
      if (stored.isArchived !== true) return stored
    } else if (answer.status !== 404) throw refusal(answer.status, 'a workflow')
  }
  const named: Stored[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ name, limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) })
    const answer = await api('GET', `/workflows?${query.toString()}`)
    const page = answer.status === 200 ? Page.safeParse(answer.body) : null
    if (page?.success !== true) throw refusal(answer.status, 'the list of workflows')
    named.push(...page.data.data.filter((each) => each.name === name && each.isArchived !== true))
    cursor = page.data.nextCursor ?? null
  } while (cursor !== null)
  return named.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))[0] ?? null
}

async function activate({ id, active }: Stored, api: Api): Promise<SeedOutcome['activation']> {
  if (active) return 'unchanged'
  const answer = await api('POST', `/workflows/${encodeURIComponent(id)}/activate`)
  if (!expectStored(answer, 'an activation').active)
    throw new WorkflowSeedError('the workflow engine did not activate the workflow', false)
  return 'activated'
}

/** Returns true when the engine has what the file defines; what it adds itself, as ids and further settings, does not count. */
function isSame(wanted: Export, stored: Stored): boolean {
  return (
    stored.name === wanted.name &&
    canonicalJson(wanted.connections) === canonicalJson(stored.connections) &&
    wanted.nodes.length === stored.nodes.length &&
    wanted.nodes.every((node, index) => holds(stored.nodes[index]!, node)) &&
    holds(stored.settings ?? {}, wanted.settings)
  )
}

const holds = (stored: Record<string, unknown>, wanted: Record<string, unknown>): boolean =>
  Object.entries(wanted).every(([key, value]) => canonicalJson(stored[key] ?? null) === canonicalJson(value ?? null))

function expectStored({ status, body }: { status: number; body: unknown }, what: string): Stored {
  const stored = status >= 200 && status < 300 ? Stored.safeParse(body) : null
  if (stored?.success === true) return stored.data
  throw refusal(status, what)
}

function refusal(status: number, what: string): WorkflowSeedError {
  if (status === 401 || status === 403)
    return new WorkflowSeedError(`the workflow engine refused WORKFLOW_API_KEY (HTTP ${status})`, false)
  const how = status < 300 ? 'in an unknown form' : `with HTTP ${status}`
  // 404 of the list: the public API is disabled, or not there yet.
  const isTransient = status === 404 || status === 429 || status >= 500
  return new WorkflowSeedError(`the workflow engine answered ${what} ${how}`, isTransient)
}

function apiOf(settings: SeedSettings, deadlineMs: number, signal: AbortSignal): Api {
  const { url, apiKey, httpTimeoutMs, seedTimeoutMs, maxResponseBytes } = settings
  const client = createHttpClient({ 'x-n8n-api-key': apiKey })
  return async (method, path, json) => {
    const leftMs = Math.max(1, deadlineMs - Date.now())
    const limits = { timeoutMs: Math.min(httpTimeoutMs, leftMs), limitBytes: maxResponseBytes }
    const answer = await client
      .send(`${url}/api/v1${path}`, { method, json, signal, ...limits })
      .catch((cause: unknown) => {
        if (!(cause instanceof HttpFault)) throw cause
        if (cause.fault === 'too_large')
          throw new WorkflowSeedError(`the workflow engine sent more than ${maxResponseBytes} bytes`, false)
        const limitMs = leftMs < httpTimeoutMs ? seedTimeoutMs : httpTimeoutMs
        const why = cause.fault === 'timeout' ? `gave no answer within ${limitMs} ms` : 'cannot be reached'
        throw new WorkflowSeedError(`the workflow engine ${why}`, true, { cause })
      })
    return { status: answer.status, body: answer.json ?? null }
  }
}
