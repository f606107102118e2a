import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../kit/logger.ts'
import type { ClosingList } from './closing-list.ts'
import { PlatformConfigError } from './config.ts'
import { httpWorkflowClient } from './rag/adaptive/workflow-client.ts'
import type { WorkflowClient } from './rag/adaptive/workflow-client.ts'
import { guardWorkflowLoops } from './workflow/loop-guard.ts'
import { registerWebhookRoutes } from './workflow/routes.ts'
import { createWorkflowEngine } from './workflow/workflow-engine.ts'
import { WorkflowImportError } from './workflow/workflow-error.ts'

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

/** A workflow engine in another process, such as a real n8n that has imported the declared file. */
export function remoteWorkflow(options: {
  url: string
  webhookPath: string
  token: string | null
  closing: ClosingList
}): WorkflowPart {
  const client = httpWorkflowClient({
    url: () => `${options.url}/webhook/${options.webhookPath}`,
    token: options.token,
  })
  options.closing.add(() => client.close())
  return {
    client,
    async probe() {
      const { status } = await fetch(`${options.url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) })
      if (status !== 200) throw new Error(`the workflow engine answered HTTP ${status}`)
    },
  }
}
