import type { FastifyInstance } from 'fastify'
import type { ResolvedModels } from '../../../contract/evidence/provenance.ts'
import type { PlatformHealth, PlatformUsage, PluginList } from '../../../contract/http/platform.ts'
import { createSelfCheck } from '../../kit/self-check.ts'
import type { GuardedRoute } from '../identity/guard.ts'
import { createReadiness } from './readiness.ts'
import type { Probe } from './readiness.ts'

export interface StatusDeps {
  version: string
  revision: string | null
  models: ResolvedModels
  usage: () => PlatformUsage
  /** Probes of what is in this process: the platform does not work without them. */
  own: Readonly<Record<string, Probe>>
  /** One probe per dependency, those in this process included. */
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
  const check = createSelfCheck({
    work: () => Promise.all(Object.values(deps.own).map((probe) => probe())),
    everyMs: 60_000,
  })
  app.get('/health', async (_request, reply) => {
    const detail = check.problem()
    const health: PlatformHealth = { status: detail === null ? 'healthy' : 'unhealthy', version, revision, models }
    return detail === null ? health : reply.code(503).send({ ...health, detail })
  })
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
