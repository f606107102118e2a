import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BaseApproach } from '../../../contract/approaches.ts'
import { TRACE_HEADER } from '../../../contract/evidence/trace.ts'
import { ChatRequest } from '../../../contract/http/chat.ts'
import { sendEvents } from '../http/event-stream.ts'
import { createTextFrames } from '../http/text-frames.ts'
import { parseRequest } from '../../kit/validate.ts'
import { callerSignal } from '../../kit/caller-signal.ts'
import type { OnText } from '../models/model-host.ts'
import { recordedAnswer } from '../trace/traced-parts.ts'
import type { RagPlugin } from './rag-plugin.ts'
import { RagError } from './rag-error.ts'

const BuildRequest = z.strictObject({ profile: z.string().min(1).max(128) })

async function complete(plugin: RagPlugin, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const base = BaseApproach.safeParse((request.params as { approach: string }).approach)
  if (!base.success)
    throw new RagError('unknown_approach', `Unknown approach: '${(request.params as { approach: string }).approach}'`)
  const chat = parseRequest(ChatRequest, request.body)
  const flavor = plugin.flavor(chat.model)
  if (flavor === null) throw new RagError('unknown_alias', `Unknown model alias: '${chat.model}'`)
  if (flavor.base !== base.data)
    throw new RagError(
      'alias_of_another_base',
      `Model alias '${chat.model}' belongs to ${flavor.base}, not to ${base.data}`,
    )
  const signal = callerSignal(request, reply)
  const answer = (onText?: OnText) =>
    recordedAnswer(request.headers[TRACE_HEADER], () => plugin.answer(chat.model, chat, signal, onText))
  if (chat.stream !== true) return reply.send(await answer())
  const frames = createTextFrames(chat.model)
  return sendEvents(reply, async (send) => {
    const whole = await answer((piece) => send(frames.of(piece)))
    return plugin.streamFrames(whole, frames.sent())
  })
}

/** The plugin's routes below its prefix. */
export function registerRagRoutes(app: FastifyInstance, plugin: RagPlugin, prefix: string): void {
  app.post(`${prefix}/:approach/v1/chat/completions`, (request, reply) => complete(plugin, request, reply))
  app.get(`${prefix}/health`, async () => plugin.health())
  app.post(`${prefix}/contextual/build`, async (request) =>
    plugin.buildContextual(parseRequest(BuildRequest, request.body).profile),
  )
  app.post(`${prefix}/tree/build`, async (request) =>
    plugin.buildTree(parseRequest(BuildRequest, request.body).profile),
  )
}
