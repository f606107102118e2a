import type { z } from 'zod'
import type Database from 'better-sqlite3'
import type { ListRunsInput, RunHead, RunList } from '../../../contract/index.ts'
import { fitting } from './page-budget.ts'

interface RunRow {
  id: number
  run_id: string
  newest_ms: number
}

interface DatasetRow {
  run: number
  kind: RunHead['kind']
  dataset_id: string
  label: string
  complexity_level: number | null
  questions: number
  ok: number
  error: number
  timeout: number
  expected: number | null
  first_ms: number | null
  last_ms: number | null
  damaged: number
}

/** SQL for the head of a dataset run, `d`, in lists and summaries alike. */
export const DATASET_HEAD = `d.id, d.run, d.kind, s.dataset_id, d.label, d.complexity_level, d.questions, d.ok, d.error,
  d.timeout, d.expected, d.first_ms, d.last_ms,
  EXISTS (SELECT 1 FROM artifacts a WHERE a.scope = d.id AND a.state = 'damaged') AS damaged`

export const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

export const datasetHead = (row: DatasetRow): RunHead['datasets'][number] => ({
  dataset_id: row.dataset_id,
  label: row.label,
  complexity_level: row.complexity_level,
  questions: row.questions,
  cells: { ok: row.ok, error: row.error, timeout: row.timeout },
  expected_cells: row.expected,
  damaged: row.damaged === 1,
})
export type { DatasetRow }

const CURSOR = /^(\d+)\.(\d+)$/

/** One page of runs, newest first. */
export function listRuns(db: Database.Database, { limit, cursor }: z.output<typeof ListRunsInput>): RunList {
  const total = db.prepare<[], number>('SELECT count(*) FROM runs').pluck().get()!
  const place = CURSOR.exec(cursor ?? '')
  const [ms, id] = place === null ? [Number.MAX_SAFE_INTEGER, 0] : [Number(place[1]), Number(place[2])]
  const runs = db
    .prepare<[number, number, number], RunRow>(
      'SELECT id, run_id, newest_ms FROM runs WHERE (newest_ms, id) < (?, ?) ORDER BY newest_ms DESC, id DESC LIMIT ?',
    )
    .all(ms, id, limit + 1)
  const heads = fitting(runHeads(db, runs.slice(0, limit)))
  const last = runs[heads.length - 1]
  const isEnd = heads.length === runs.length || last === undefined
  return { runs: heads, total, next_cursor: isEnd ? null : `${last.newest_ms}.${last.id}` }
}

function runHeads(db: Database.Database, runs: readonly RunRow[]): RunHead[] {
  const ids = JSON.stringify(runs.map(({ id }) => id))
  const datasets = Map.groupBy(
    db
      .prepare<[string], DatasetRow>(
        `SELECT ${DATASET_HEAD} FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
         WHERE d.run IN (SELECT value FROM json_each(?)) ORDER BY d.complexity_level, s.dataset_id`,
      )
      .all(ids),
    ({ run }) => run,
  )
  const aliases = new Map(
    db
      .prepare<[string], [number, number]>(
        `SELECT d.run, count(DISTINCT a.alias) FROM dataset_runs d JOIN dataset_run_aliases a ON a.scope = d.id
         WHERE d.run IN (SELECT value FROM json_each(?)) GROUP BY d.run`,
      )
      .raw()
      .all(ids),
  )
  return runs.map(({ id, run_id }) => {
    const rows = datasets.get(id) ?? []
    const times = (field: 'first_ms' | 'last_ms') => rows.flatMap((row) => row[field] ?? [])
    const [first, last] = [times('first_ms'), times('last_ms')]
    return {
      run_id,
      kind: rows.some(({ kind }) => kind === 'canonical') ? 'canonical' : 'historical',
      first_finished_at: isoTime(first.length === 0 ? null : Math.min(...first)),
      last_finished_at: isoTime(last.length === 0 ? null : Math.max(...last)),
      aliases: aliases.get(id) ?? 0,
      datasets: rows.map(datasetHead),
    }
  })
}
