import { describe, expect, it } from 'vitest'
import {
  backoffMs,
  initialSupervision,
  STABLE_AFTER_MS,
  supervise,
  type Observation,
  type Supervision,
} from './service-state.ts'

const run = (observations: Observation[], from: Supervision = initialSupervision()) =>
  observations.reduce(
    ({ now }, seen) => {
      const { next, effects } = supervise(now, seen, 0.5)
      return { now: next, effects }
    },
    { now: from, effects: [] as ReturnType<typeof supervise>['effects'] },
  )
const exit = (atMs: number, code: number | null = 1): Observation => ({ type: 'exited', atMs, code, signal: null })

describe('supervise', () => {
  it('spawns on start, is ready after its probe, asks to stop', () => {
    expect(run([{ type: 'start' }])).toMatchObject({
      now: { state: { name: 'starting' } },
      effects: [{ type: 'spawn' }],
    })
    expect(run([{ type: 'start' }, { type: 'probe_passed', atMs: 5 }]).now.state).toEqual({ name: 'ready', sinceMs: 5 })
    const stopping = run([{ type: 'start' }, { type: 'probe_passed', atMs: 5 }, { type: 'stop' }])
    expect(stopping).toMatchObject({ now: { state: { name: 'stopping' } }, effects: [{ type: 'ask_to_stop' }] })
    expect(run([exit(9, 0)], stopping.now).now.state).toEqual({ name: 'stopped' })
  })

  it('backs off 500 ms × 2ⁿ up to 30 s', () => {
    expect([1, 2, 3, 6, 7, 20].map((count) => backoffMs(count, 0.5))).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000])
  })

  it('fails for good after six crashes in a row and reports why', () => {
    let now = run([{ type: 'start' }]).now
    for (let crash = 1; crash < 6; crash += 1) now = run([exit(crash), { type: 'backoff_elapsed' }], now).now
    expect(now.state.name).toBe('starting')
    expect(run([exit(6)], now).now.state).toEqual({ name: 'failed', failure: 'exit', reason: 'exit code 1' })
  })

  it('forgets old failures after a minute of stability', () => {
    const crashed = run([
      { type: 'start' },
      exit(0),
      { type: 'backoff_elapsed' },
      { type: 'probe_passed', atMs: 1000 },
    ]).now
    expect(run([exit(1000 + STABLE_AFTER_MS)], crashed).now.failures.exit).toBe(1)
    expect(run([exit(1000 + STABLE_AFTER_MS - 1)], crashed).now.failures.exit).toBe(2)
  })

  it('fails at once what cannot start as it is set up, but not what has worked before', () => {
    const misconfigured = run([{ type: 'start' }, exit(1, 78)])
    expect([misconfigured.now.state, misconfigured.effects]).toEqual([
      { name: 'failed', failure: 'configuration', reason: 'configuration error' },
      [],
    ])
    // Its port may still be held by the process before it.
    const worked = run([{ type: 'start' }, { type: 'probe_passed', atMs: 1 }, exit(2), { type: 'backoff_elapsed' }])
    const again = run([exit(3, 78)], worked.now)
    expect(again.now.state).toMatchObject({ name: 'backoff', failure: 'configuration' })
    expect(run([{ type: 'stop' }, { type: 'start' }, exit(4, 78)], again.now).now.state.name).toBe('failed')
  })

  it('fails at once with the reason of a service that answers that it does not work, but starts again what has worked', () => {
    const unhealthy: Observation = { type: 'probe_failed', atMs: 1, failure: 'unhealthy', reason: 'no weights' }
    const never = run([{ type: 'start' }, unhealthy])
    expect(never.now.state).toEqual({ name: 'failed', failure: 'unhealthy', reason: 'no weights' })
    expect(never.effects).toEqual([{ type: 'kill' }])
    const worked = run([{ type: 'start' }, { type: 'probe_passed', atMs: 0 }, unhealthy])
    expect(worked.now.state).toMatchObject({ name: 'backoff', failure: 'unhealthy' })
    const unresponsive = run([{ type: 'start' }, { ...unhealthy, failure: 'unresponsive' }])
    expect(unresponsive.now.state).toMatchObject({ name: 'backoff', failure: 'unresponsive' })
  })

  it('restarts after exit code 70 without counting towards the limit of restarts', () => {
    let now = run([{ type: 'start' }, { type: 'probe_passed', atMs: 0 }]).now
    for (let round = 0; round < 20; round += 1)
      now = run([exit(round, 70), { type: 'backoff_elapsed' }, { type: 'probe_passed', atMs: round }], now).now
    expect(now.state.name).toBe('ready')
  })

  it('kills what does not become ready, and ignores a probe of a dead child', () => {
    const late = run([{ type: 'start' }, { type: 'start_timed_out', atMs: 7 }])
    expect(late.now.state.name).toBe('backoff')
    expect(late.effects.map(({ type }) => type)).toEqual(['kill', 'wait'])
    expect(run([{ type: 'probe_passed', atMs: 8 }], late.now).now.state.name).toBe('backoff')
  })
})
