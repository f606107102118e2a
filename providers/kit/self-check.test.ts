import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSelfCheck } from './self-check.ts'

function bench() {
  const state = { nowMs: 0, works: 0, fault: null as string | null }
  const check = createSelfCheck({
    work: async () => {
      state.works += 1
      if (state.fault !== null) throw new Error(state.fault)
    },
    everyMs: 1000,
    now: () => state.nowMs,
  })
  /** Answers of one question for health after another, each after the proof that the one before it began. */
  const ask = async (times: number) => {
    const answers: (string | null)[] = []
    for (let round = 0; round < times; round += 1) {
      answers.push(check.problem())
      await nextTurn()
    }
    return answers
  }
  return { state, check, ask }
}

describe('createSelfCheck', () => {
  it('works when the last proof is old, not at every question', async () => {
    const { state, ask } = bench()
    await ask(5)
    expect(state.works).toBe(0)
    state.nowMs = 1000
    await ask(5)
    expect(state.works).toBe(1)
  })

  it('reports a problem after two failed proofs, and its end after one that succeeds', async () => {
    const { state, ask } = bench()
    Object.assign(state, { nowMs: 1000, fault: 'too many open files' })
    expect(await ask(4)).toEqual([null, null, 'too many open files', 'too many open files'])
    state.fault = null
    expect(await ask(2)).toEqual(['too many open files', null])
  })

  it('proves at once after work of a caller that failed by its own fault', async () => {
    const { state, check, ask } = bench()
    const failing = (own: boolean) =>
      check
        .during(
          async () => Promise.reject(new Error('x')),
          () => own,
        )
        .catch(() => undefined)
    await failing(false)
    await ask(2)
    expect(state.works).toBe(0)
    await failing(true)
    await ask(2)
    expect(state.works).toBe(1)
  })

  it('leaves a service alone that is busy, however long', async () => {
    const { state, check, ask } = bench()
    const job = Promise.withResolvers<undefined>()
    const busy = check.during(
      () => job.promise,
      () => true,
    )
    state.nowMs = 100_000
    expect(await ask(5)).toEqual(Array.from({ length: 5 }, () => null))
    expect(state.works).toBe(0)
    job.resolve(undefined)
    await busy
    await ask(2)
    expect(state.works).toBe(0)
  })

  it('counts a proof that does not end as failed', async () => {
    const check = createSelfCheck({ work: () => new Promise(() => undefined), everyMs: 0, deadlineMs: 20 })
    await expect.poll(() => check.problem()).toBe('no result within 0.02 s')
  })
})
