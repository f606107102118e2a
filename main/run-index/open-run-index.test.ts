import { appendFile, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { IndexChange } from '../../contract/control/run-index/upkeep.ts'
import { sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { evidenceBytes, writeRun } from '../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, goldenRows, REPORT_RUN } from '../../tests/helpers/report-rows.ts'
import { indexFolders, type IndexBench } from '../../tests/helpers/run-index.ts'
import { openForReading } from './open-database.ts'
import { openRunIndex, type RunIndex } from './open-run-index.ts'
import type { RunIndexError } from './run-index-error.ts'

const dataset = fixtureDataset('alpha', 'Alpha', 1)
const run = { run_id: REPORT_RUN, dataset_id: 'alpha' }

function opened({ file, results, published }: IndexBench, pollMs = 50): RunIndex {
  const index = openRunIndex(file, { folders: [results, published], pollMs })
  onTestFinished(() => index.close())
  return index
}

/** Collects changes and lets a test wait for the one it wants. */
function watched(index: RunIndex) {
  const changes: IndexChange[] = []
  const failures: RunIndexError[] = []
  const waiting: (() => void)[] = []
  const stop = index.watch(
    (change) => {
      changes.push(change)
      for (const look of waiting) look()
    },
    (error) => failures.push(error),
  )
  const until = (test: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (test()) resolve()
      }
      waiting.push(look)
      look()
    })
  const rows = (): number => changes.flatMap(({ runs }) => runs).reduce((sum, { rows_added }) => sum + rows_added, 0)
  return { changes, failures, until, rows, stop }
}

const error = (code: string) => expect.objectContaining({ name: 'RunIndexError', code }) as unknown

describe('a run index in its threads', () => {
  it('an index mirrors its folders, answers, and is rebuilt after it was deleted', async () => {
    const folders = await indexFolders()
    await writeRun(folders.results, dataset, goldenJudgments(dataset))
    const index = opened(folders)
    expect((await index.query('listRuns', {})).runs).toEqual([])
    expect((await index.sync()).runs).toMatchObject([{ ...run, rows_added: goldenRows(dataset).length }])
    const ask = async () => ({
      runs: await index.query('listRuns', {}),
      page: await index
        .query('matrixPage', { ...run, metric: 'faithfulness' })
        .then((outcome) => outcome.ok && outcome.page.rows),
      heads: await index.query('columnHeads', { ...run, metric: 'judge_mean' }),
      summary: await index.query('runSummary', { run_id: REPORT_RUN }),
      found: (await index.query('search', { text: 'question' })).hits.length,
    })
    const before = await ask()
    expect(before.runs.runs).toHaveLength(1)
    expect(before.page).toHaveLength(8)
    expect(await index.verify()).toMatchObject({ ok: true, problem_count: 0 })

    for (const ending of ['', '-wal', '-shm']) await rm(`${folders.file}${ending}`, { force: true })
    await index.sync()
    expect(await ask()).toEqual(before)
    await index.rebuild()
    expect(await ask()).toEqual(before)
    await index.close()
    for (const ending of ['', '-wal', '-shm']) await rm(`${folders.file}${ending}`, { force: true })
    const again = opened(folders)
    await again.sync()
    expect((await again.query('runSummary', { run_id: REPORT_RUN })).ok).toBe(true)
  })

  it('an index repairs itself when its file is damaged while it is open', async () => {
    const folders = await indexFolders()
    await writeRun(folders.results, dataset)
    const first = opened(folders)
    await first.sync()
    await first.close()
    const db = openForReading(folders.file)
    const page = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'cells'`).pluck().get() as number
    const pageBytes = db.pragma('page_size', { simple: true }) as number
    db.close()
    const handle = await open(folders.file, 'r+')
    await handle.write(Buffer.alloc(pageBytes, 0x5a), 0, pageBytes, (page - 1) * pageBytes)
    await handle.close()
    const index = opened(folders)
    expect((await index.verify()).problems.map(({ code }) => code)).toContain('damaged_index')
    expect((await index.sync()).runs).toEqual([])
    expect(await index.query('columnHeads', { ...run, metric: 'faithfulness' })).toMatchObject({ ok: true })
    expect(await index.verify()).toMatchObject({ ok: true })
  })

  it('changes are reported, several at once, until the last listener is removed', async () => {
    const folders = await indexFolders()
    const evidence = join(folders.results, `${REPORT_RUN}-alpha-evidence.jsonl`)
    const rows = goldenRows(dataset)
    const index = opened(folders)
    const watch = watched(index)
    await writeFile(evidence, evidenceBytes(rows.slice(0, 1)))
    await watch.until(() => watch.rows() === 1)
    for (const row of rows.slice(1)) await appendFile(evidence, evidenceBytes([row]))
    await watch.until(() => watch.rows() === rows.length)
    expect(watch.changes.length).toBeLessThan(rows.length)
    expect(watch.changes.map(({ revision }) => revision)).toEqual(
      watch.changes.map(({ revision }) => revision).toSorted((a, b) => a - b),
    )
    await rm(evidence)
    await watch.until(() => watch.changes.some(({ removed }) => removed.length > 0))
    watch.stop()
    const before = watch.changes.length
    await writeFile(evidence, evidenceBytes(rows))
    await index.sync()
    expect(watch.changes).toHaveLength(before)
    expect(watch.failures).toEqual([])
  })

  it('a folder that is created later and an index file that is deleted are noticed', async () => {
    const folders = await indexFolders()
    await rm(folders.results, { recursive: true })
    const index = opened(folders)
    const watch = watched(index)
    await index.sync()
    await writeRun(folders.results, dataset)
    await watch.until(() => watch.rows() === goldenRows(dataset).length)
    for (const ending of ['', '-wal', '-shm']) await rm(`${folders.file}${ending}`, { force: true })
    await watch.until(() => watch.rows() === 2 * goldenRows(dataset).length)
    expect(await index.query('columnHeads', { ...run, metric: 'faithfulness' })).toMatchObject({ ok: true })
    expect(watch.failures).toEqual([])
  })

  it('queries are answered while rows are appended, each from one state of the index', async () => {
    const folders = await indexFolders()
    const evidence = join(folders.results, 'run-1-baseline_curated-evidence.jsonl')
    const models = ['vanilla-rag', 'hybrid-rag']
    await writeFile(evidence, evidenceBytes(models.map((model) => sampleRow({ question: 'q0', model }))))
    const index = opened(folders)
    const watch = watched(index)
    await watch.until(() => watch.rows() === 2)
    const total = 300
    const appending = (async () => {
      for (let question = 1; question < total; question += 1)
        await appendFile(evidence, evidenceBytes(models.map((model) => sampleRow({ question: `q${question}`, model }))))
    })()
    let reads = 0
    let last = 0
    const key = { run_id: 'run-1', dataset_id: 'baseline_curated', metric: 'faithfulness' } as const
    for (let done = false; !done; reads += 1) {
      const [outcome, heads] = await Promise.all([
        index.query('matrixPage', { ...key, limit: 500 }),
        index.query('columnHeads', key),
      ])
      if (!outcome.ok || !heads.ok) throw new Error('not found')
      const { rows, matching } = outcome.page
      expect(rows).toHaveLength(matching)
      expect(matching).toBeGreaterThanOrEqual(last)
      // The two rows of a question are appended together; a system that shows a write page by page may show the first of the last two alone.
      const before = rows.slice(0, -1)
      expect(before.every(({ cells }) => cells.length === 2 && cells.every((cell) => cell !== null))).toBe(true)
      const counts = heads.heads.heads.map(({ n }) => n)
      expect(Math.max(...counts)).toBe(heads.heads.questions)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(heads.heads.questions - 1)
      last = matching
      done = matching === total
    }
    await appending
    expect(reads).toBeGreaterThan(2)
    expect(await index.verify()).toMatchObject({ ok: true, rows: 2 * total })
  })

  it('an invalid query is refused with a code', async () => {
    const folders = await indexFolders()
    const index = opened(folders)
    await expect(index.query('matrixPage', { ...run, metric: 'nonsense' as 'faithfulness' })).rejects.toEqual(
      error('bad_input'),
    )
    await expect(index.query('listRuns', { limit: 0 })).rejects.toEqual(error('bad_input'))
    await writeFile(join(folders.results, 'not-a-folder'), '')
    const impossible = openRunIndex(join(folders.results, 'not-a-folder', 'index'), { folders: [] })
    onTestFinished(() => impossible.close())
    await expect(impossible.sync()).rejects.toEqual(error('unusable_file'))
    await expect(impossible.query('listRuns', {})).rejects.toEqual(error('unusable_file'))
  })

  it('an index can be closed during a sync and its file stays intact', async () => {
    const folders = await indexFolders()
    const evidence = join(folders.results, 'run-1-baseline_curated-evidence.jsonl')
    const rows = Array.from({ length: 3000 }, (_, index) => sampleRow({ question: `q${index}` }))
    await writeFile(evidence, evidenceBytes(rows))
    const index = opened(folders)
    await index.query('status', {})
    const syncing = index.sync()
    const closed = index.close()
    await expect(syncing).rejects.toEqual(error('closed'))
    await closed
    await index.close()
    await expect(index.sync()).rejects.toEqual(error('closed'))
    await expect(index.query('listRuns', {})).rejects.toEqual(error('closed'))
    const reader = openForReading(folders.file)
    expect(reader.pragma('quick_check', { simple: true })).toBe('ok')
    reader.close()
    const again = opened(folders)
    await again.sync()
    expect(await again.verify()).toMatchObject({ ok: true, rows: rows.length })
  })
})
