import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { errorResponse } from '../../kit/error-family.ts'

/** A failure within this time is still answered with its own status. */
const HEADERS_AFTER_MS = 1000
/** A comment at least this often keeps proxies from ending a connection on which nothing is sent. */
const COMMENT_EVERY_MS = 10_000

export interface EventStreamOptions {
  headersAfterMs?: number
  commentEveryMs?: number
}

/** Makes the frames of an answer: sends those that are there before its end, and returns the last ones. */
export type FrameSource = (send: (frame: string) => void) => Promise<readonly string[]>

/**
 * Server-sent events of an answer as it is generated. Headers go out with the first frame, or after a second; while there is no frame, comments keep
 * the connection alive, which no client counts as events. A failure after the headers is an event with an `error` in OpenAI's form.
 */
export async function sendEvents(
  reply: FastifyReply,
  source: FrameSource,
  options: EventStreamOptions = {},
): Promise<FastifyReply> {
  const { headersAfterMs = HEADERS_AFTER_MS, commentEveryMs = COMMENT_EVERY_MS } = options
  const sent = createQueue()
  const last = source((frame) => sent.put(frame))
  const early = await within(Promise.race([last, sent.next()]), headersAfterMs)
  const stream = reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-cache')
    // Proxies that buffer would hold back the comments too.
    .header('x-accel-buffering', 'no')
  return early === null || early === PUT
    ? stream.send(Readable.from(lateFrames(reply, { last, sent }, commentEveryMs)))
    : stream.send(sent.take() + early.join(''))
}

interface Frames {
  last: Promise<readonly string[]>
  sent: FrameQueue
}

async function* lateFrames(
  reply: FastifyReply,
  { last, sent }: Frames,
  commentEveryMs: number,
): AsyncGenerator<string> {
  try {
    if (sent.isEmpty()) yield COMMENT
    for (;;) {
      const done = await within(Promise.race([last, sent.next()]), commentEveryMs)
      const frames = sent.take()
      if (done === null && frames === '') yield COMMENT
      else yield frames
      if (done === null || done === PUT) continue
      yield done.join('')
      return
    }
  } catch (error) {
    const known = error instanceof Error ? (reply.server.boundary.translate(error) ?? error) : error
    reply.log.warn({ err: error }, 'a streamed answer failed')
    yield `${sent.take()}data: ${JSON.stringify(errorResponse('openai', known).body)}\n\ndata: [DONE]\n\n`
  }
}

const COMMENT = ': the answer is being generated\n\n'

/** Signals that a frame is in the queue. */
const PUT = Symbol('put')

interface FrameQueue {
  put(frame: string): void
  isEmpty(): boolean
  /** All frames that wait, as one text. */
  take(): string
  /** Resolves once a frame waits. */
  next(): Promise<typeof PUT>
}

function createQueue(): FrameQueue {
  let frames: string[] = []
  let arrival = Promise.withResolvers<typeof PUT>()
  return {
    put(frame) {
      frames.push(frame)
      arrival.resolve(PUT)
    },
    isEmpty: () => frames.length === 0,
    take() {
      const text = frames.join('')
      frames = []
      arrival = Promise.withResolvers()
      return text
    },
    next: () => arrival.promise,
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
