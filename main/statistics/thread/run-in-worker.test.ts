import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { compareTables } from '../compare-pairs.ts'
import { krippendorffAlpha } from '../agreement/krippendorff.ts'
import { seededRandom } from '../../../tests/helpers/seeded-random.ts'
import { compareInWorker, runInWorker } from './run-in-worker.ts'
import type { ScoreTable } from '../score-table.ts'

const options = { seed: 's', resamples: 1000 }

function tableOf(metric: string, count = 40): ScoreTable {
  const random = seededRandom(metric)
  return {
    metric,
    questions: Array.from({ length: count }, (_, index) => ({ id: `q${index}`, cluster: `c${index >> 1}` })),
    approaches: ['a', 'b', 'c'],
    scores: new Float64Array(count * 3).map(() => (random.uniform() < 0.05 ? NaN : random.uniform())),
  }
}

describe('compareInWorker', () => {
  it('gives what the direct call gives, over any number of threads', async () => {
    const tables = ['x', 'y', 'z'].map((metric) => tableOf(metric))
    const direct = compareTables(tables, options)
    for (const threads of [1, 2, 8]) expect(await compareInWorker(tables, options, { threads })).toEqual(direct)
    expect(await compareInWorker([], options)).toEqual([])
  })

  it('leaves the event loop free', async () => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    await compareInWorker([tableOf('x', 1000)], { seed: 's', resamples: 10_000 }, { threads: 1 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
  })

  it('rejects with what was wrong, and stops the other threads', async () => {
    const broken = { ...tableOf('y'), scores: new Float64Array(3) }
    await expect(compareInWorker([tableOf('x', 2000), broken], options, { threads: 2 })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('y: 3 scores') as string,
    })
  })

  it('stops on its signal, before and after the start', async () => {
    await expect(compareInWorker([tableOf('x')], options, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    })
    const controller = new AbortController()
    const running = compareInWorker(
      [tableOf('x', 2000)],
      { seed: 's', resamples: 1_000_000 },
      { signal: controller.signal },
    )
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'aborted' })
  })
})

/** Threads are numbered in the order in which they start. */
async function nextThreadId(): Promise<number> {
  const worker = new Worker('', { eval: true })
  const { threadId } = worker
  await worker.terminate()
  return threadId
}

describe('runInWorker', () => {
  it('runs the other statistics too', async () => {
    const ratings = {
      clusters: Array.from({ length: 12 }, (_, unit) => `u${unit}`),
      raters: 2,
      values: Float64Array.from({ length: 24 }, (_, at) => 1 + ((at * 7) % 5)),
    }
    expect(await runInWorker('krippendorffAlpha', [ratings, 'ordinal', options])).toEqual(
      krippendorffAlpha(ratings, 'ordinal', options),
    )
  })

  it('computes one task after the other in the same thread, and in a new one after a failure', async () => {
    const table = tableOf('x')
    await runInWorker('compareTables', [[table], options])
    const before = await nextThreadId()
    for (let task = 0; task < 3; task += 1) await runInWorker('compareTables', [[table], options])
    expect(await nextThreadId()).toBe(before + 1)
    await expect(runInWorker('compareTables', [null as unknown as ScoreTable[], options])).rejects.toMatchObject({
      code: 'worker_failed',
    })
    expect(await runInWorker('compareTables', [[table], options])).toEqual(compareTables([table], options))
  })

  it('reports a failure in the thread as such', async () => {
    const nonsense = null as unknown as ScoreTable[]
    await expect(runInWorker('compareTables', [nonsense, options])).rejects.toMatchObject({ code: 'worker_failed' })
  })
})
