import type { FastifyInstance } from 'fastify'
import { createEnvReader, type EnvReader } from '../../providers/kit/env-reader.ts'
import { createLogger } from '../../providers/kit/logger.ts'
import { createHttpServer } from '../../providers/kit/server.ts'
import { guardRoutes } from '../../providers/platform/identity/guard.ts'
import { readEdgeSettings, readIdentitySettings } from '../../providers/platform/identity/identity-settings.ts'
import { routePolicies } from '../../providers/platform/identity/route-policy.ts'
import { USER_SECRET } from './user-token.ts'

/** A server whose routes are guarded as the platform's, with the tokens of `env` beside those of operator and users; its settings are read by `reader`. */
export function guardedServer(env: Record<string, string> = {}): { app: FastifyInstance; reader: EnvReader } {
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  const reader = createEnvReader({
    BACKEND_INTERNAL_API_TOKEN: 'operator-token',
    BACKEND_JWT_SECRET: USER_SECRET,
    ...env,
  })
  guardRoutes(app, {
    policies: routePolicies({ plugin: { route_prefix: '/rag', auth: 'inherit' } }),
    identity: readIdentitySettings(reader),
    edge: readEdgeSettings(reader),
  })
  return { app, reader }
}
