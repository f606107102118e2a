import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'

/** A pace whose clock moves by its own pauses only. */
function paceWithClock(most = 8, first = most) {
  let nowMs = 0
  const pauses: number[] = []
  const wait = async (milliseconds: number) => {
    pauses.push(milliseconds)
    nowMs += milliseconds
  }
  const clock = { pass: (milliseconds: number) => (nowMs += milliseconds) }
  return { pace: new Pace({ most, first, wait, now: () => nowMs }), pauses, clock }
}

describe('a pace', () => {
  it('is halved once by refusals of calls that were sent together, and waits for the pause asked for', async () => {
    const { pace, pauses } = paceWithClock()
    const places = await Promise.all(Array.from({ length: 8 }, async () => (await pace.take())!))
    expect(places.map((place) => place.end(429, 3000))).toEqual(Array(8).fill(true))
    expect(pace.places).toBe(4)
    expect((await pace.take())!.waitedMs).toBe(3000)
    expect(pauses).toEqual([3000])
  })

  it('goes down to one call at a time, and rises slowly with answers', async () => {
    const { pace, clock } = paceWithClock()
    const sent = await Promise.all(Array.from({ length: 8 }, async () => (await pace.take())!))
    sent[0]!.end(429, 10)
    for (const place of sent.slice(1)) place.end(200)
    for (const places of [5, 6, 7]) {
      for (let round = 0; round < 8; round += 1) (await pace.take())!.end(200)
      expect(pace.places).toBe(places)
    }
    // The number that was refused is tried again, but seldom.
    for (let round = 0; round < 56; round += 1) (await pace.take())!.end(200)
    expect(pace.places).toBe(7)
    for (let round = 0; round < 5; round += 1) {
      const place = (await pace.take())!
      clock.pass(1)
      place.end(429, 10)
    }
    expect(pace.places).toBe(1)
    for (let round = 0; round < 63; round += 1) (await pace.take())!.end(200)
    expect(pace.places).toBe(1)
    for (let round = 0; round < 9; round += 1) (await pace.take())!.end(200)
    expect(pace.places).toBe(3)
  })

  it('spaces calls by what was answered before a refusal, and closes up while none is refused', async () => {
    const { pace, pauses, clock } = paceWithClock()
    for (let call = 0; call < 4; call += 1) {
      const place = (await pace.take())!
      clock.pass(100)
      place.end(200)
    }
    expect(pauses).toEqual([])
    ;(await pace.take())!.end(429, 600)
    // Four answers in the second that ends with the pause.
    const first = (await pace.take())!
    expect(first.waitedMs).toBe(600)
    first.end(200)
    expect(await pace.take(undefined, 240)).toBeNull()
    for (let call = 0; call < 20; call += 1) (await pace.take())!.end(200)
    const [, ...apart] = pauses
    expect(apart[0]).toBe(250)
    expect(apart.at(-1)).toBeLessThan(150)
    expect(apart).toEqual(apart.toSorted((one, other) => other - one))
  })

  it('does not space calls ever further where a service refuses two of three whatever the distance between them', async () => {
    const { pace, pauses, clock } = paceWithClock()
    for (let answered = 0, calls = 1; answered < 100; calls += 1) {
      const place = (await pace.take())!
      clock.pass(5)
      place.end(calls % 3 === 0 ? 200 : 429, 50)
      if (calls % 3 === 0) answered += 1
    }
    expect(Math.max(...pauses)).toBeLessThanOrEqual(200)
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThan(100 * 300)
  })

  it('begins with few calls at a time, which two answers raise by one until a first is refused', async () => {
    const { pace } = paceWithClock(64, 4)
    for (let round = 0; round < 6; round += 1) (await pace.take())!.end(200)
    expect(pace.places).toBe(7)
    const places = await Promise.all(Array.from({ length: 7 }, async () => (await pace.take())!))
    places[0]!.end(429, 10)
    for (const place of places.slice(1)) place.end(200)
    expect(pace.places).toBe(3)
  })

  it('lets no more calls through than there are places, in their order', async () => {
    const { pace } = paceWithClock(2)
    const first = (await pace.take())!
    await pace.take()
    const order: number[] = []
    const later = [1, 2].map(async (number) => {
      const place = (await pace.take())!
      order.push(number)
      return place
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual([])
    first.end(200)
    const next = await later[0]!
    expect(order).toEqual([1])
    next.end(200)
    await later[1]
    expect(order).toEqual([1, 2])
  })

  it('keeps no place for a call that was given up while it waited', async () => {
    const { pace } = paceWithClock(1)
    const held = (await pace.take())!
    const stop = new AbortController()
    const given = pace.take(stop.signal)
    stop.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    const waiting = pace.take()
    held.end(200)
    expect(await waiting).not.toBeNull()
  })

  it('does not keep a caller longer than it has time', async () => {
    const { pace, pauses } = paceWithClock(8)
    ;(await pace.take())!.end(429, 3000)
    expect(await pace.take(undefined, 2999)).toBeNull()
    expect(pauses).toEqual([])
    expect(await pace.take(undefined, 3000)).toMatchObject({ waitedMs: 3000 })
  })

  it('takes a 503 for a limit where a pause is asked for or other calls are under way', async () => {
    const { pace } = paceWithClock()
    expect((await pace.take())!.end(503)).toBe(false)
    const [one, other] = [(await pace.take())!, (await pace.take())!]
    expect(one.end(503)).toBe(true)
    expect(other.end(503)).toBe(false)
    expect((await pace.take())!.end(503, 10)).toBe(true)
    expect((await pace.take())!.end(500)).toBe(false)
  })

  it('loses patience with a service that only refuses, and has it again after an answer', async () => {
    const { pace, clock } = paceWithClock()
    expect((await pace.take())!.end(429)).toBe(true)
    clock.pass(5 * 60_000)
    expect((await pace.take())!.end(429)).toBe(false)
    ;(await pace.take())!.end(200)
    expect((await pace.take())!.end(429)).toBe(true)
  })
})
