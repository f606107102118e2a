import { describe, expect, it } from 'vitest'
import { testServer } from '../../tests/helpers/test-server.ts'
import { createPermits, permitHook, permitOf } from './permits.ts'
import { listen } from './server.ts'

describe('createPermits', () => {
  it('hands out its count, and takes a place back once however often it is released', () => {
    const permits = createPermits(2)
    const first = permits.tryTake()!
    const second = permits.tryTake()!
    expect(permits.tryTake()).toBeNull()
    first.release()
    first.release()
    expect(permits.free).toBe(1)
    second.release()
    expect(permits.free).toBe(2)
  })

  it('keeps a place while work runs, also after its release', async () => {
    const permits = createPermits(1)
    const permit = permits.tryTake()!
    const work = Promise.withResolvers<string>()
    const done = permit.during(() => work.promise)
    permit.release()
    expect(permits.free).toBe(0)
    work.resolve('late')
    expect(await done).toBe('late')
    expect(permits.free).toBe(1)
    await expect(permit.during(async () => 'again')).rejects.toThrow('given back')
  })
})

describe('permitHook', () => {
  it('answers 429 with Retry-After before reading a body; a caller that leaves does not free working places', async () => {
    const app = testServer()
    const permits = createPermits(1)
    const work = Promise.withResolvers<string>()
    const entered = Promise.withResolvers<undefined>()
    const abandoned = Promise.withResolvers<undefined>()
    const settled = Promise.withResolvers<undefined>()
    app.post('/work', { onRequest: permitHook(permits, 'Provider capacity is full') }, async (request, reply) => {
      reply.raw.once('close', () => {
        abandoned.resolve(undefined)
      })
      entered.resolve(undefined)
      const result = permitOf(request).during(() => work.promise)
      void result.finally(() => {
        settled.resolve(undefined)
      })
      return result
    })
    const { url } = await listen(app, '127.0.0.1', 0)
    const leave = new AbortController()
    const gone = fetch(`${url}/work`, { method: 'POST', signal: leave.signal }).catch(() => 'gone')
    await entered.promise
    const refused = await fetch(`${url}/work`, { method: 'POST' })
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '1',
      { detail: 'Provider capacity is full' },
    ])
    leave.abort()
    expect(await gone).toBe('gone')
    await abandoned.promise
    expect((await fetch(`${url}/work`, { method: 'POST' })).status).toBe(429)
    work.resolve('done')
    await settled.promise
    expect((await fetch(`${url}/work`, { method: 'POST' })).status).toBe(200)
  })
})
