import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { limitOf } from './limited-calls.ts'
import { modelCall, modelWait, withWaitClock } from './model-waits.ts'

const waitedIn = (run: () => Promise<unknown>): Promise<number> =>
  withWaitClock(async (clock) => {
    await run()
    return clock.waitedMs
  })

describe('the time in which a question only waits', () => {
  it('counts a wait within a call, and no work', async () => {
    let workedMs = 0
    const started = performance.now()
    const waited = await waitedIn(() =>
      modelCall(async () => {
        await modelWait(() => sleep(60))
        const from = performance.now()
        await sleep(60)
        workedMs = performance.now() - from
      }),
    )
    expect(waited).toBeGreaterThanOrEqual(55)
    expect(waited).toBeLessThanOrEqual(performance.now() - started - workedMs + 1)
  })

  it('counts no wait beside which another call works', async () => {
    const waitIsOver = Promise.withResolvers<null>()
    const wait = () => modelCall(() => modelWait(() => sleep(60))).then(() => waitIsOver.resolve(null))
    expect(await waitedIn(() => Promise.all([modelCall(() => waitIsOver.promise), wait()]))).toBe(0)
  })

  it('counts waits at the same time once', async () => {
    const started = performance.now()
    const calls = () => Promise.all(Array.from({ length: 3 }, () => modelCall(() => modelWait(() => sleep(60)))))
    expect(await waitedIn(calls)).toBeLessThanOrEqual(performance.now() - started + 1)
  })

  it('counts a call within a call as one', async () => {
    const waited = await waitedIn(() => modelCall(() => modelCall(() => modelWait(() => sleep(60)))))
    expect(waited).toBeGreaterThanOrEqual(55)
  })

  it('ends with a wait that fails', async () => {
    const waited = await waitedIn(async () => {
      await modelCall(() => modelWait(() => Promise.reject(new Error('left')))).catch(() => null)
      await sleep(60)
    })
    expect(waited).toBeLessThan(50)
  })

  it('belongs to the request that waits, not to the one that is waited for', async () => {
    const limit = limitOf(1)
    const ask = () => waitedIn(() => modelCall(() => limit(undefined, () => sleep(60))))
    const [first, second] = await Promise.all([ask(), ask()])
    expect(first).toBeLessThan(50)
    expect(second).toBeGreaterThanOrEqual(55)
  })
})
