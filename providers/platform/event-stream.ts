import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { errorResponse } from '../kit/error-family.ts'

/** A failure within this time is still answered with its own status. */
const HEADERS_AFTER_MS = 1000
/** A comment at least this often keeps proxies from ending a connection on which nothing is said. */
const COMMENT_EVERY_MS = 10_000

export interface EventStreamOptions {
  headersAfterMs?: number
  commentEveryMs?: number
}

/**
 * Server-sent events of an answer that is whole when it comes. Headers go out after a second; until the answer is there, comments keep the
 * connection alive, which no client counts as events. A failure after the headers is an event with an `error` in OpenAI's form.
 */
export async function sendEvents(
  reply: FastifyReply,
  frames: Promise<readonly string[]>,
  options: EventStreamOptions = {},
): Promise<FastifyReply> {
  const { headersAfterMs = HEADERS_AFTER_MS, commentEveryMs = COMMENT_EVERY_MS } = options
  const early = await within(frames, headersAfterMs)
  const stream = reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-cache')
    // Proxies that buffer would hold back the comments too.
    .header('x-accel-buffering', 'no')
  return early === null
    ? stream.send(Readable.from(lateFrames(reply, frames, commentEveryMs)))
    : stream.send(early.join(''))
}

async function* lateFrames(
  reply: FastifyReply,
  frames: Promise<readonly string[]>,
  commentEveryMs: number,
): AsyncGenerator<string> {
  try {
    for (;;) {
      yield ': the answer is being made\n\n'
      const done = await within(frames, commentEveryMs)
      if (done === null) continue
      yield done.join('')
      return
    }
  } catch (error) {
    const known = error instanceof Error ? (reply.server.boundary.translate(error) ?? error) : error
    reply.log.warn({ err: error }, 'a streamed answer failed')
    yield `data: ${JSON.stringify(errorResponse('openai', known).body)}\n\ndata: [DONE]\n\n`
  }
}

/** The value once it is there, null after the time. */
async function within<Value>(value: Promise<Value>, timeMs: number): Promise<Value | null> {
  const timer = new AbortController()
  try {
    return await Promise.race([value, delay(timeMs, null, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
