import { mkdirSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { MatrixPageInput } from '../../contract/control/run-index/matrix-page.ts'
import { openRunIndex, type RunIndex } from '../../main/run-index/open-run-index.ts'
import { fastLine, SYNTHETIC_ALIASES, syntheticRows, writeSyntheticRun } from '../helpers/synthetic-evidence.ts'
import { atMost, median, quantile, shown, type Figure } from './figure.ts'

const ROWS = 100_000
const ALIASES = 10
const big = { run_id: 'big-2026', dataset_id: 'bench' }
const live = { run_id: 'live-2026', dataset_id: 'bench' }

const fileOf = (folder: string, { run_id, dataset_id }: typeof big): string =>
  join(folder, `${run_id}-${dataset_id}-evidence.jsonl`)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function withIndex<Result>(
  fill: (folder: string) => void,
  work: (index: RunIndex, folder: string) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(join(tmpdir(), 'run-index-bench-'))
  const folder = join(root, 'results')
  mkdirSync(folder)
  fill(folder)
  const index = openRunIndex(join(root, 'index.sqlite'), { folders: [folder] })
  try {
    await index.sync()
    // Both readers run, as in an engine that is up.
    await Promise.all([index.query('status', {}), index.query('status', {})])
    return await work(index, folder)
  } finally {
    await index.close()
    await rm(root, { recursive: true, force: true })
  }
}

/** Rebuild and browsing of one run of 100,000 cells: 10,000 questions × 10 aliases. */
function bigRun(): Promise<Figure[]> {
  let bytes = 0
  const fill = (folder: string): void => {
    bytes = writeSyntheticRun(fileOf(folder, big), {
      runId: big.run_id,
      datasetId: big.dataset_id,
      questions: ROWS / ALIASES,
      aliases: ALIASES,
      seed: 7,
      answerWords: [2, 70],
    })
  }
  return withIndex(fill, async (index) => [
    shown('P4', 'mean size of a row', bytes / ROWS / 1000, 'KB'),
    ...(await rebuilding(index)),
    ...(await browsing(index)),
  ])
}

async function rebuilding(index: RunIndex): Promise<Figure[]> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const cpuAt = process.cpuUsage()
  const ms = await timed(() => index.rebuild())
  const cpu = process.cpuUsage(cpuAt)
  loop.disable()
  const { cells } = await index.query('status', {})
  if (cells !== ROWS) throw new Error(`the index has ${cells} cells`)
  return [
    atMost('P4', `index rebuilt from ${ROWS} rows, full text included`, ms / 1000, 's', 5),
    shown('P4', 'processor time of it, all threads', (cpu.user + cpu.system) / 1e6, 's'),
    atMost('P18', "delay of the host's event loop meanwhile, p99", loop.percentile(99) / 1e6, 'ms', 50),
  ]
}

async function browsing(index: RunIndex): Promise<Figure[]> {
  const page = (input: Partial<MatrixPageInput>) => () =>
    index.query('matrixPage', { ...big, metric: 'faithfulness', ...input })
  const first = await timed(() =>
    Promise.all([
      page({})(),
      index.query('columnHeads', { ...big, metric: 'faithfulness' }),
      index.query('runSummary', { run_id: big.run_id }),
    ]),
  )
  // Each differs in its metric, so that none is answered from the order that an earlier one left.
  const metrics = ['faithfulness', 'answer_relevancy', 'recall_at_5', 'ndcg_at_10', 'latency_ms'] as const
  const model = SYNTHETIC_ALIASES[3]!.model
  const kinds: [string, (metric: (typeof metrics)[number]) => Partial<MatrixPageInput>][] = [
    ['sort by an alias', (metric) => ({ metric, sort: { by: 'value', alias: model, descending: true } })],
    ['sort by spread', (metric) => ({ metric, sort: { by: 'spread' } })],
    ['filter by state', (metric) => ({ metric, filters: { states: ['timeout', 'not_run'] } })],
    ['filter by score', (metric) => ({ metric, filters: { score: { alias: model, min: 0.5 } } })],
    ['filter by winner', (metric) => ({ metric, filters: { winner: model } })],
    ['filter by text', (metric) => ({ metric, filters: { text: 'malware actor' } })],
  ]
  const figures: Figure[] = []
  for (const [what, input] of kinds) {
    const times: number[] = []
    const cpuMs: number[] = []
    for (const metric of metrics) {
      const cpuAt = process.cpuUsage()
      times.push(await timed(page(input(metric))))
      const { user, system } = process.cpuUsage(cpuAt)
      cpuMs.push((user + system) / 1000)
    }
    figures.push(
      atMost('P7', `${what}, ${ROWS} cells, median of ${times.length}`, median(times), 'ms', 100),
      shown('P7', `${what}: processor time of all threads`, median(cpuMs), 'ms'),
    )
  }
  return [atMost('P6', `first page, heads and summary of ${ROWS} cells`, first, 'ms', 300), ...figures]
}

/** 50 runs × 2,000 questions of one alias. */
function comparing(): Promise<Figure[]> {
  const runIds = Array.from({ length: 50 }, (_, index) => `run-${String(index).padStart(2, '0')}`)
  const fill = (folder: string): void => {
    for (const [seed, runId] of runIds.entries())
      writeSyntheticRun(fileOf(folder, { run_id: runId, dataset_id: 'bench' }), {
        runId,
        datasetId: 'bench',
        questions: 2000,
        aliases: 1,
        seed,
        answerWords: [2, 4],
      })
  }
  return withIndex(fill, async (index) => {
    const times: number[] = []
    for (const metric of ['faithfulness', 'recall_at_5', 'latency_ms'] as const)
      times.push(
        await timed(async () => {
          const { aliases } = await index.query('compareRuns', { run_ids: runIds, metric })
          if (aliases[0]?.runs.length !== runIds.length) throw new Error('runs are missing')
        }),
      )
    return [atMost('P7', '50 runs × 2,000 questions compared, median of 3', median(times), 'ms', 500)]
  })
}

/** 1,000 runs of one cell. */
function listing(): Promise<Figure[]> {
  const fill = (folder: string): void => {
    for (let seed = 0; seed < 1000; seed += 1) {
      const names = { run_id: `run-${seed}`, dataset_id: 'bench' }
      const run = { runId: names.run_id, datasetId: 'bench', questions: 1, aliases: 1, seed }
      writeSyntheticRun(fileOf(folder, names), { ...run, answerWords: [2, 4] })
    }
  }
  return withIndex(fill, async (index) => {
    const times: number[] = []
    for (let round = 0; round < 5; round += 1)
      times.push(
        await timed(async () => {
          const { runs } = await index.query('listRuns', { limit: 1000 })
          if (runs.length !== 1000) throw new Error(`${runs.length} runs are listed`)
        }),
      )
    return [
      atMost('P9', '1,000 runs listed, median of 5', median(times), 'ms', 100),
      shown('P9', 'a sync that finds nothing new in 1,000 files', await timed(() => index.sync()), 'ms'),
    ]
  })
}

/** Reading a run of 20,000 cells while 200 rows a second are appended to it. */
function readingWhileAppending(seconds = 15): Promise<Figure[]> {
  const stored = { runId: live.run_id, datasetId: live.dataset_id, aliases: ALIASES, seed: 5 }
  const words: [number, number] = [20, 90]
  const first = { ...stored, questions: 2000, answerWords: words }
  const fill = (folder: string): void => void writeSyntheticRun(fileOf(folder, live), first)
  return withIndex(fill, async (index, folder) => {
    const failures: string[] = []
    const stop = index.watch(
      () => undefined,
      (error) => failures.push(error.message),
    )
    const wanted = 200 * seconds
    const all = syntheticRows({ ...first, questions: 2000 + Math.ceil(wanted / ALIASES) })
    const lines = [...all].slice(2000 * ALIASES, 2000 * ALIASES + wanted).map(fastLine)
    const startedAt = performance.now()
    const appending = (async () => {
      for (const [place, line] of lines.entries()) {
        await delay(Math.max(0, startedAt + place * 5 - performance.now()))
        await appendFile(fileOf(folder, live), line)
      }
      return performance.now() - startedAt
    })()
    const progress = { isDone: false }
    const ended = appending.finally(() => (progress.isDone = true))
    const times: number[] = []
    const probe = await index.query('matrixPage', { ...live, metric: 'faithfulness', limit: 1 })
    const row_id = probe.ok ? probe.page.rows[0]!.cells[0]!.row_id : ''
    for (let round = 0; !progress.isDone; round += 1) {
      const offset = (round * 100) % 2000
      times.push(await timed(() => index.query('matrixPage', { ...live, metric: 'faithfulness', offset })))
      times.push(await timed(() => index.query('cell', { run_id: live.run_id, row_id })))
      times.push(await timed(() => index.query('listRuns', {})))
      await delay(5)
    }
    const tookMs = await ended
    stop()
    await index.sync()
    const { cells } = await index.query('status', {})
    if (cells !== 2000 * ALIASES + wanted || failures.length > 0) throw new Error(`${cells} cells, ${failures.join()}`)
    return [
      shown('P11', 'rows appended per second', (wanted / tookMs) * 1000, '1/s'),
      shown('P11', 'reads meanwhile', times.length, ''),
      shown('P11', 'read, median', median(times), 'ms'),
      atMost('P11', 'read, p99', quantile(times, 0.99), 'ms', 50),
    ]
  })
}

/** P4, P6 (its query), P7, P9, P11 and the index's part of P18, through the threads as the engine uses them. */
export async function benchRunIndex(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const part of [bigRun, comparing, listing, readingWhileAppending]) figures.push(...(await part()))
  return figures
}

if (import.meta.main) console.table(await benchRunIndex())
