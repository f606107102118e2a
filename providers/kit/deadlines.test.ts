import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { uploadDeadline, withWorkDeadline } from './deadlines.ts'
import { HttpError } from './http-error.ts'
import { createLogger } from './logger.ts'
import { createPermits, permitHook } from './permits.ts'
import { closeGracefully, createHttpServer, listen } from './server.ts'

describe('uploadDeadline', () => {
  it('passes without harm where the request was refused and its body is not read', async () => {
    const timed = await uploadDeadline(5)({} as FastifyRequest, {} as FastifyReply, new PassThrough())
    await expect.poll(() => timed.errored).toMatchObject({ statusCode: 408 })
    // A caller that reads all the same gets an error.
    await expect(timed.toArray()).rejects.toMatchObject({ statusCode: 408 })
  })

  async function start(timeoutMs: number) {
    const app = createHttpServer({ logger: createLogger('test', 'silent'), lingerMs: 20 })
    onTestFinished(() => closeGracefully(app, 0))
    const permits = createPermits(1)
    app.post(
      '/upload',
      { onRequest: permitHook(permits, 'full'), preParsing: uploadDeadline(timeoutMs), bodyLimit: 5_000_000 },
      async (request) => ({ size: JSON.stringify(request.body).length }),
    )
    return { ...(await listen(app, '127.0.0.1', 0)), permits }
  }

  it('answers 408 to a slow sender and frees its place', async () => {
    const { port, permits } = await start(50)
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    socket.write(
      'POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
    )
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('{"detail":"Upload timed out"}')
    expect(permits.free).toBe(1)
  })

  it('lets a body through that arrives in time, large ones too', async () => {
    const { url } = await start(30_000)
    const body = JSON.stringify({ text: 'x'.repeat(3_000_000) })
    const answer = await fetch(`${url}/upload`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await answer.json()).toEqual({ size: body.length })
  })
})

describe('withWorkDeadline', () => {
  it('returns the result and the failure of work that ends in time', async () => {
    expect(await withWorkDeadline(10_000, async () => 7)).toBe(7)
    await expect(withWorkDeadline(10_000, async () => Promise.reject(new Error('own')))).rejects.toThrow('own')
  })

  it('ends in 504, aborts the signal and calls onTimeout once', async () => {
    let timeouts = 0
    let seen: AbortSignal | undefined
    const work = withWorkDeadline(
      20,
      async (signal) => {
        seen = signal
        await once(signal, 'abort')
        throw new Error('too late to matter')
      },
      { onTimeout: () => (timeouts += 1) },
    )
    await expect(work).rejects.toEqual(new HttpError(504, 'Provider operation timed out'))
    expect([timeouts, seen?.aborted]).toEqual([1, true])
  })
})
