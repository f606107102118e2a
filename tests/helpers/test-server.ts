import type { FastifyInstance } from 'fastify'
import { afterAll, beforeEach, onTestFinished } from 'vitest'
import { createLogger } from '../../providers/kit/logger.ts'
import { closeGracefully, createHttpServer } from '../../providers/kit/server.ts'
import { startFaultServer, type FaultServer } from './fault-server.ts'

/** A server that logs nothing, until the running test ends. */
export function testServer(): FastifyInstance {
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  onTestFinished(() => closeGracefully(app, 0))
  return app
}

/** A faulty server until the running test ends. */
export async function testFaultServer(): Promise<FaultServer> {
  const server = await startFaultServer()
  onTestFinished(server.close)
  return server
}

/** A faulty server that all tests of a file share. Each begins with an empty list of requests. */
export async function suiteFaultServer(): Promise<FaultServer> {
  const server = await startFaultServer()
  beforeEach(() => void (server.requests.length = 0))
  afterAll(server.close)
  return server
}
