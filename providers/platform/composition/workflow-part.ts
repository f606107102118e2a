import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { createHttpClient } from '../../../core/http/http-client.ts'
import type { Logger } from '../../kit/logger.ts'
import type { ClosingList } from '../jobs/closing-list.ts'
import { PlatformConfigError } from './config.ts'
import { httpWorkflowClient, type WorkflowClient } from '../rag/adaptive/workflow-client.ts'
import { registerWebhookRoutes } from '../workflow/routes.ts'
import { createWorkflowEngine } from '../workflow/workflow-engine.ts'
import { seedExternalWorkflow, type SeedSettings } from '../workflow/seed-external-workflow.ts'
import type { WorkflowApiSettings } from '../workflow/workflow-api-settings.ts'
import { WorkflowImportError } from '../workflow/workflow-error.ts'
import { HttpError } from '../../kit/http-error.ts'
import { WORKFLOW_HEADER } from '../workflow/node-http.ts'

/** Refuses, on every route, that a workflow asks one of these aliases: they start a workflow themselves. */
export function guardWorkflowLoops(app: FastifyInstance, aliases: ReadonlySet<string>): void {
  app.addHook('preHandler', async (request) => {
    if (request.headers[WORKFLOW_HEADER] === undefined) return
    const model = (request.body as { model?: unknown } | null | undefined)?.model
    if (typeof model !== 'string' || !aliases.has(model)) return
    throw new HttpError(508, `A workflow may not ask the alias "${model}": it starts a workflow`, {
      code: 'delegation_loop',
      param: 'model',
    })
  })
}

/** The platform's workflow engine, in this process or in another. */
export interface WorkflowPart {
  client: WorkflowClient
  /** Resolves when the engine works. */
  probe(): Promise<unknown>
}

export interface EmbeddedWorkflowOptions {
  app: FastifyInstance
  logger: Logger
  closing: ClosingList
  /** A workflow in n8n's export format. */
  file: string
  webhookPath: string
  /** The platform's own address, known once it listens. */
  baseUrl: () => string
  /** Credential for the platform's own webhook and gateway; null where they ask for none. */
  token: string | null
  /** Aliases that start a workflow: a workflow may not ask them. */
  loopAliases: ReadonlySet<string>
}

/**
 * The engine in this process with its webhook routes, seeded from the declared file. Throws `PlatformConfigError` when the file cannot be
 * read or imported, or does not serve the declared webhook.
 */
export async function embeddedWorkflow(options: EmbeddedWorkflowOptions): Promise<WorkflowPart> {
  const { app, logger, closing, file, webhookPath, baseUrl, token } = options
  guardWorkflowLoops(app, options.loopAliases)
  const engine = createWorkflowEngine({
    env: () => ({ RAG_LADDER_GATEWAY_URL: baseUrl(), RAG_LADDER_GATEWAY_KEY: token ?? '' }),
  })
  closing.add(() => engine.close())
  const outcome = await seedFrom(file, (workflow) => engine.seed(workflow))
  logger.info({ file, outcome }, 'workflow seeded')
  const isServed = () => engine.match('POST', webhookPath).found
  if (!isServed()) throw new PlatformConfigError([`${file}: no active workflow answers POST ${webhookPath}`])
  registerWebhookRoutes(app, engine)
  const client = httpWorkflowClient({ url: () => `${baseUrl()}/webhook/${webhookPath}`, token })
  closing.add(() => client.close())
  return { client, probe: async () => isServed() || Promise.reject(new Error('the workflow is not active')) }
}

async function seedFrom<Outcome>(file: string, seed: (workflow: unknown) => Outcome): Promise<Outcome> {
  try {
    return seed(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof WorkflowImportError)
      throw new PlatformConfigError(error.problems.map((each) => `${file}: ${each}`))
    if (error instanceof SyntaxError) throw new PlatformConfigError([`${file}: not valid JSON`])
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
    if (code !== undefined) throw new PlatformConfigError([`${file}: cannot be read (${code})`])
    throw error
  }
}

const PROBE_MS = 3000

export interface RemoteWorkflowOptions {
  api: WorkflowApiSettings & { url: string }
  webhookPath: string
  /** Bearer token of its webhook. */
  token: string | null
  /** The declared workflow in n8n's export format. */
  file: string
  logger: Logger
  closing: ClosingList
}

/**
 * A workflow engine in another process, such as n8n. With a key of its public API the declared file is imported and activated there, in the background:
 * the engine may start after the platform. Without one, a person has done it. The probe fails until the workflow is there, and tries again.
 */
export function remoteWorkflow(options: RemoteWorkflowOptions): WorkflowPart {
  const { api, webhookPath, token, closing } = options
  const { url } = api
  const client = httpWorkflowClient({ url: () => `${url}/webhook/${webhookPath}`, token })
  closing.add(() => client.close())
  const seeding = api.apiKey === null ? null : keepSeeding({ ...api, apiKey: api.apiKey }, options)
  return {
    client,
    async probe() {
      seeding?.check()
      const { status } = await createHttpClient().send(`${url}/healthz`, { timeoutMs: PROBE_MS })
      if (status !== 200) throw new Error(`the workflow engine answered HTTP ${status}`)
    },
  }
}

/** Seeds the engine now, and again at each check after a failure. */
function keepSeeding(settings: SeedSettings, { file, logger, closing }: RemoteWorkflowOptions): { check(): void } {
  const stop = new AbortController()
  let state: 'running' | 'done' | Error = 'running'
  let underWay: Promise<void>
  const begin = (): void => {
    state = 'running'
    underWay = seedFrom(file, (workflow) => seedExternalWorkflow(workflow, settings, stop.signal))
      .then(async (seeded) => {
        logger.info({ file, outcome: await seeded }, 'workflow seeded')
        state = 'done'
      })
      .catch((error: unknown) => {
        state = error instanceof Error ? error : new Error('the workflow cannot be seeded')
        if (!stop.signal.aborted) logger.error({ err: error, file }, 'the workflow cannot be seeded')
      })
  }
  begin()
  closing.add(async () => {
    stop.abort(new Error('the platform stops'))
    await underWay
  })
  return {
    check() {
      if (state === 'done') return
      if (state === 'running') throw new Error('the workflow is not imported yet')
      const failure = state
      begin()
      throw failure
    },
  }
}
