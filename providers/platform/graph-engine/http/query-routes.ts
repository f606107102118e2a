import type { FastifyInstance, FastifyReply } from 'fastify'
import { GraphQueryRequest } from '../../../../contract/index.ts'
import type { GraphDataResponse, GraphQueryResponse } from '../../../../contract/index.ts'
import { parseRequest } from '../../../kit/validate.ts'
import type { GraphAnswerParts } from '../graph-engine.ts'
import type { EngineOf } from './engine-of.ts'
import { answering, graphFailure } from './graph-failure.ts'

/** `/query`, `/query/data` and `/query/stream`. */
export function registerQueryRoutes(app: FastifyInstance, engineOf: EngineOf): void {
  app.post('/query', async (request, reply): Promise<GraphQueryResponse> => {
    const startedMs = performance.now()
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const answer = await answering(() => engineOf(request).query(query, { signal }), signal)
    return {
      response: answer.response,
      references: answer.references,
      response_time: (performance.now() - startedMs) / 1000,
      llm_generated: answer.llmGenerated,
      metadata: { keywords: answer.keywords, processing_info: answer.info, cost: answer.cost },
    }
  })

  app.post('/query/data', async (request, reply): Promise<GraphDataResponse> => {
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const parts = await answering(() => engineOf(request).queryInParts(query, { signal }), signal)
    const { entities, relationships, chunks } = parts.data
    const found = entities.length + relationships.length + chunks.length > 0
    return {
      status: found ? 'success' : 'failure',
      message: found ? 'Query executed successfully' : 'Nothing was found',
      data: parts.data,
      metadata: { query_mode: query.mode, keywords: parts.keywords, processing_info: parts.info },
    }
  })

  app.post('/query/stream', async (request, reply) => {
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const parts = await answering(() => engineOf(request).queryInParts(query, { signal }), signal)
    return reply.type('application/x-ndjson').send(lines(parts))
  })
}

/** References as soon as they are known, then the text in one piece: models are asked for whole answers here. */
function lines(parts: GraphAnswerParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const line = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`)
  return new ReadableStream({
    async start(controller) {
      if (parts.references !== null) controller.enqueue(line({ references: parts.references }))
      try {
        const { response, llmGenerated } = await parts.finish()
        controller.enqueue(line({ response, llm_generated: llmGenerated }))
      } catch (error) {
        // The status went out with the first line: the stream itself has to tell the failure.
        controller.enqueue(line({ error: graphFailure(error)?.message ?? 'Internal Server Error' }))
      }
      controller.close()
    },
  })
}

/** Aborted when the caller goes away before the answer is complete. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new DOMException('the caller has gone', 'AbortError'))
  })
  return gone.signal
}
