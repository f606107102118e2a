import { describe, expect, it } from 'vitest'
import { CacheWishes, createResponseCache } from './response-cache.ts'

const wishes = (value: object = {}) => CacheWishes.parse(value)

function setup(options: { ttlMs?: number; maxEntries?: number; maxBytes?: number } = {}) {
  let time = 1_000_000
  const cache = createResponseCache({ ttlMs: 10_000, maxEntries: 3, maxBytes: 100, now: () => time, ...options })
  return { cache, pass: (ms: number) => (time += ms) }
}

describe('createResponseCache', () => {
  it('gives an answer back until its time is over', () => {
    const { cache, pass } = setup()
    cache.put('a', 'x', wishes())
    pass(9999)
    expect(cache.get('a', wishes())).toBe('x')
    pass(1)
    expect(cache.get('a', wishes())).toBeNull()
  })

  it('reads nothing for no-cache and keeps nothing for no-store; each alone does the other’s half', () => {
    const { cache } = setup()
    cache.put('a', 'old', wishes())
    expect(cache.get('a', wishes({ 'no-cache': true }))).toBeNull()
    cache.put('a', 'new', wishes({ 'no-cache': true }))
    expect(cache.get('a', wishes())).toBe('new')
    cache.put('b', 'x', wishes({ 'no-store': true }))
    expect(cache.get('b', wishes())).toBeNull()
    expect(cache.get('a', wishes({ 'no-store': true }))).toBe('new')
  })

  it('keeps ttl and s-maxage', () => {
    const { cache, pass } = setup()
    cache.put('a', 'x', wishes({ ttl: 60 }))
    cache.put('b', 'x', wishes({ ttl: 0 }))
    pass(20_000)
    expect(cache.get('a', wishes())).toBe('x')
    expect(cache.get('a', wishes({ 's-maxage': 19 }))).toBeNull()
    expect(cache.get('a', wishes({ 's-maxage': 20 }))).toBe('x')
    expect(cache.get('b', wishes())).toBeNull()
  })

  it('drops the oldest beyond either bound', () => {
    const { cache } = setup()
    for (const key of ['a', 'b', 'c', 'd']) cache.put(key, 'x', wishes())
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key, wishes()))).toEqual([null, 'x', 'x', 'x'])
    cache.put('e', 'y'.repeat(99), wishes())
    expect(['b', 'c', 'd', 'e'].map((key) => cache.get(key, wishes())?.length ?? null)).toEqual([null, null, 1, 99])
    cache.put('f', 'y'.repeat(101), wishes())
    expect(cache.get('f', wishes())).toBeNull()
  })

  it('counts the bytes of a replaced answer once', () => {
    const { cache } = setup()
    for (let round = 0; round < 5; round += 1) cache.put('a', 'y'.repeat(60), wishes())
    cache.put('b', 'y'.repeat(40), wishes())
    expect([cache.get('a', wishes())?.length, cache.get('b', wishes())?.length]).toEqual([60, 40])
  })
})
