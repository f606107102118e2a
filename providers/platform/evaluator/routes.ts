import type { FastifyInstance } from 'fastify'
import { EvaluateRequest } from '../../../contract/http/evaluate.ts'
import { TRACE_FIELD, TRACE_HEADER } from '../../../contract/evidence/trace.ts'
import { parseRequest } from '../../kit/validate.ts'
import { callerSignal } from '../../kit/caller-signal.ts'
import { recorded } from '../trace/trace.ts'
import { attachToError } from '../trace/traced-parts.ts'
import type { ModelHost } from '../models/model-host.ts'
import { evaluate } from './evaluate.ts'

/** Adds `POST /api/rag/evaluate`. */
export function registerEvaluatorRoutes(app: FastifyInstance, models: ModelHost): void {
  app.post('/api/rag/evaluate', async (request, reply) =>
    recorded(
      request.headers[TRACE_HEADER],
      () => evaluate(models, parseRequest(EvaluateRequest, request.body), callerSignal(request, reply)),
      (response, trace) => ({ ...response, [TRACE_FIELD]: trace }),
      attachToError,
    ),
  )
}
