import type { FastifyInstance } from 'fastify'
import { EvaluateRequest } from '../../../contract/index.ts'
import { parseRequest } from '../../kit/validate.ts'
import { callerSignal } from '../../kit/caller-signal.ts'
import { evaluate, type EvaluatorDeps } from './evaluate.ts'

/** Adds `POST /api/rag/evaluate`. */
export function registerEvaluatorRoutes(app: FastifyInstance, deps: EvaluatorDeps): void {
  app.post('/api/rag/evaluate', async (request, reply) =>
    evaluate(deps, parseRequest(EvaluateRequest, request.body), callerSignal(request, reply)),
  )
}
