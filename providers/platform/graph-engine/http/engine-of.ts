import type { FastifyRequest } from 'fastify'
import type { GraphEngine } from '../graph-engine.ts'

/** The engine that a request is for; throws an `HttpError` when there is none. */
export type EngineOf = (request: FastifyRequest) => GraphEngine
