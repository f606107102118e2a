import type { FastifyInstance } from 'fastify'
import type { PlatformHealth, PlatformUsage, PluginList, ResolvedModels } from '../../contract/index.ts'
import type { GuardedRoute } from './identity/guard.ts'
import { createReadiness } from './readiness.ts'
import type { Probe } from './readiness.ts'

export interface StatusDeps {
  version: string
  revision: string | null
  models: ResolvedModels
  usage: () => PlatformUsage
  /** One probe per dependency. */
  probes: Readonly<Record<string, Probe>>
  plugins: () => Promise<PluginList>
  /** Every route with its policy. */
  routes: readonly GuardedRoute[]
}

/** `GET /`, `/health`, `/ready`, `/plugins`, `/internal/usage` and `/internal/routes`. */
export function registerStatusRoutes(app: FastifyInstance, deps: StatusDeps): void {
  const { version, revision, models } = deps
  const readiness = createReadiness(deps.probes)
  app.get('/', async () => ({ message: 'Welcome to the RAG Ladder platform', docs_url: null }))
  app.get('/health', async (): Promise<PlatformHealth> => ({ status: 'healthy', version, revision, models }))
  app.get('/plugins', async () => deps.plugins())
  app.get('/internal/usage', async () => deps.usage())
  app.get('/internal/routes', async () => ({ routes: deps.routes }))
  app.get('/ready', async (request, reply) => {
    const { ready, dependencies, failures } = await readiness()
    for (const { dependency, error } of failures) {
      request.log.warn({ err: error, dependency }, 'dependency is not ready')
    }
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable', dependencies })
  })
}
