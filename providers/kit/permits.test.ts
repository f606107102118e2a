import { describe, expect, it } from 'vitest'
import { createPermits } from './permits.ts'

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
