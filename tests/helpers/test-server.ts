import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createLogger } from '../../providers/kit/logger.ts'
import { closeGracefully, createHttpServer } from '../../providers/kit/server.ts'

/** A server that logs nothing, until the running test ends. */
export function testServer(): FastifyInstance {
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  onTestFinished(() => closeGracefully(app, 0))
  return app
}
