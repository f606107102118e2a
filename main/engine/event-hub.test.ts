import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SequencedEvent, type ControlEvent } from '../../contract/control/events.ts'
import { EventHub, type FollowFrom } from './event-hub.ts'

const notice = (message: string): ControlEvent => ({ type: 'notice', level: 'info', message })

/** Reads until `enough` returns true, then ends the stream. */
async function collect(hub: EventHub, from: FollowFrom, enough: (seen: SequencedEvent[]) => boolean) {
  const stop = new AbortController()
  const seen: SequencedEvent[] = []
  for await (const event of hub.follow(from, stop.signal)) {
    seen.push(event)
    if (enough(seen)) break
  }
  stop.abort()
  return seen
}

const numbers = (events: SequencedEvent[]): number[] =>
  events.filter(({ event }) => !event.type.startsWith('stream.')).map(({ seq }) => seq)

describe('EventHub', () => {
  it('gives a client that comes back what it missed, each event once and in order', async () => {
    const hub = new EventHub()
    for (let index = 1; index <= 5; index += 1) hub.publish(notice(`event ${index}`))
    const seen = await collect(hub, { after: 2, engineId: hub.engineId }, (all) => numbers(all).length === 3)
    expect(seen.map(({ event }) => event.type)).toEqual(['stream.opened', 'notice', 'notice', 'notice'])
    expect(numbers(seen)).toEqual([3, 4, 5])
    for (const entry of seen) SequencedEvent.parse(entry)
  })

  it('starts with what happens from now on when no number is given', async () => {
    const hub = new EventHub()
    hub.publish(notice('before'))
    const reading = collect(hub, {}, (all) => numbers(all).length === 1)
    await Promise.resolve()
    hub.publish(notice('after'))
    expect(numbers(await reading)).toEqual([2])
  })

  it('reports a gap when the numbers are another engine’s', async () => {
    const hub = new EventHub()
    hub.publish(notice('one'))
    const other = await collect(hub, { after: 1, engineId: 'another' }, (all) => all.length === 3)
    expect(other[1]!.event).toEqual({ type: 'stream.gap', reason: 'other_engine', missed: null })
    expect(numbers(other)).toEqual([1])
    const ahead = await collect(hub, { after: 99 }, (all) => all.length === 3)
    expect(ahead[1]!.event).toMatchObject({ type: 'stream.gap', reason: 'other_engine' })
  })

  it('loses nothing silently, whatever the ring holds and whichever event the client read last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 40 }),
        fc.nat({ max: 40 }),
        async (capacity, published, position) => {
          const hub = new EventHub(capacity)
          for (let index = 0; index < published; index += 1) hub.publish(notice('x'))
          const after = Math.min(position, published)
          hub.publish(notice('last'))
          const seen = await collect(hub, { after }, (all) => numbers(all).at(-1) === published + 1)
          const got = numbers(seen)
          const gap = seen.find(({ event }) => event.type === 'stream.gap')?.event as { missed: number } | undefined
          expect(got).toEqual(got.map((_, index) => got[0]! + index))
          expect((gap?.missed ?? 0) + got.length).toBe(published + 1 - after)
        },
      ),
    )
  })

  it('reports to a slow reader the gap that opened while it read', async () => {
    const hub = new EventHub(3)
    hub.publish(notice('1'))
    const stop = new AbortController()
    const stream = hub.follow({ after: 0 }, stop.signal)
    await stream.next()
    expect((await stream.next()).value).toMatchObject({ seq: 1 })
    for (let index = 2; index <= 9; index += 1) hub.publish(notice(`${index}`))
    expect((await stream.next()).value).toMatchObject({ seq: 6, event: { type: 'stream.gap', missed: 5 } })
    expect((await stream.next()).value).toMatchObject({ seq: 7 })
    stop.abort()
    await stream.return(undefined)
  })

  it('keeps a plan with every row in conflict within a message', () => {
    const hub = new EventHub()
    const conflict = { row_id: 'a'.repeat(64), path: 'reproducibility.seed', stored: 'a', current: 'b' }
    const plan = { dataset_id: 'smoke', total: 5000, reuse: 0, run: 0, resume_answered: 0, unavailable: [] }
    const { event } = hub.publish({
      type: 'plan.ready',
      plan: { ...plan, conflicts: Array.from({ length: 5000 }, () => conflict) },
    })
    expect(JSON.stringify(event).length).toBeLessThan(100_000)
  })
})
