import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { uploadDeadline, withWorkDeadline } from './deadlines.ts'
import { HttpError } from './http-error.ts'

it('uploadDeadline passes without harm where the request was refused and its body is not read', async () => {
  const timed = await uploadDeadline(5)({} as FastifyRequest, {} as FastifyReply, new PassThrough())
  await expect.poll(() => timed.errored).toMatchObject({ statusCode: 408 })
  // A caller that reads all the same gets an error.
  await expect(timed.toArray()).rejects.toMatchObject({ statusCode: 408 })
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
