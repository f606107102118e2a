// Runs without their cells: the list, the summary of one run, and the state of the index itself.
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type {
  ListRunsInput,
  RunDatasetSummary,
  RunHead,
  RunList,
  RunSummaryOutcome,
} from '../../../contract/control/run-index/runs.ts'
import type { IndexStatus } from '../../../contract/control/run-index/upkeep.ts'
import { artifactsOfScope, readArtifacts, type Artifact } from '../apply/artifact-store.ts'
import { INDEX_METRICS, stateCode, STATUS_CODES } from '../schema.ts'
import { NO_PROVENANCE } from '../apply/tallies.ts'
import { aliasesOf, notFound } from './dataset-run.ts'
import { fitting } from './fit-answer.ts'
import { conditionsOf } from './run-conditions.ts'

interface RunRow {
  id: number
  run_id: string
  newest_ms: number
}

interface DatasetRow {
  id: number
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
  last_ms: number | null
  damaged: number
}

/** SQL for the head of a dataset run `d`, in lists and in summaries. */
const DATASET_HEAD = `d.id, d.run, d.kind, s.dataset_id, d.label, d.complexity_level, d.questions, d.ok, d.error,
  d.timeout, d.expected, d.last_ms,
  EXISTS (SELECT 1 FROM artifacts a WHERE a.scope = d.id AND a.state = 'damaged') AS damaged`

const datasetHead = (row: DatasetRow): RunHead['datasets'][number] => ({
  dataset_id: row.dataset_id,
  label: row.label,
  complexity_level: row.complexity_level,
  questions: row.questions,
  cells: { ok: row.ok, error: row.error, timeout: row.timeout },
  expected_cells: row.expected,
  damaged: row.damaged === 1,
})

const CURSOR = /^(\d+)\.(\d+)$/

/** One page of runs, newest first. */
export function listRuns(db: Database.Database, input: z.output<typeof ListRunsInput>): RunList {
  const { limit, cursor, run_id: only = null } = input
  const total = db.prepare<[], number>('SELECT count(*) FROM runs').pluck().get()!
  const position = CURSOR.exec(cursor ?? '')
  const [ms, id] = position === null ? [Number.MAX_SAFE_INTEGER, 0] : [Number(position[1]), Number(position[2])]
  const runs = db
    .prepare<[number, number, string | null, number], RunRow>(
      `SELECT id, run_id, newest_ms FROM runs WHERE (newest_ms, id) < (?, ?) AND run_id = coalesce(?, run_id)
       ORDER BY newest_ms DESC, id DESC LIMIT ?`,
    )
    .all(ms, id, only, limit + 1)
  const heads = fitting(runHeads(db, runs.slice(0, limit)))
  const last = runs[heads.length - 1]
  const isEnd = heads.length === runs.length || last === undefined
  return {
    runs: heads,
    total,
    samples: publishedOnly(db),
    next_cursor: isEnd ? null : `${last.newest_ms}.${last.id}`,
  }
}

/** Names of the runs without a working file: the first folder holds what is made here, the others what is published. */
const publishedOnly = (db: Database.Database): string[] =>
  db
    .prepare<[], string>(
      `SELECT run_id FROM runs r WHERE NOT EXISTS
         (SELECT 1 FROM dataset_runs d JOIN artifacts a ON a.scope = d.id WHERE d.run = r.id AND a.folder = 0)
       ORDER BY run_id`,
    )
    .pluck()
    .all()

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
    const finished = rows.flatMap((row) => row.last_ms ?? [])
    return {
      run_id,
      kind: rows.some(({ kind }) => kind === 'canonical') ? 'canonical' : 'historical',
      last_finished_at: finished.length === 0 ? null : new Date(Math.max(...finished)).toISOString(),
      aliases: aliases.get(id) ?? 0,
      datasets: rows.map(datasetHead),
    }
  })
}

const MAX_PROVENANCES = 5

/** Everything about a run but its cells. */
export function runSummary(db: Database.Database, { run_id }: { run_id: string }): RunSummaryOutcome {
  const rows = db
    .prepare<[string], DatasetRow>(
      `SELECT ${DATASET_HEAD} FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
       WHERE d.run = (SELECT id FROM runs WHERE run_id = ?) ORDER BY d.complexity_level, s.dataset_id`,
    )
    .all(run_id)
  if (rows.length === 0) return notFound(`run ${run_id}`)
  return {
    ok: true,
    summary: {
      run_id,
      kind: rows.some(({ kind }) => kind === 'canonical') ? 'canonical' : 'historical',
      datasets: rows.map((row) => datasetSummary(db, row)),
    },
  }
}

function datasetSummary(db: Database.Database, row: DatasetRow): RunDatasetSummary {
  const tallies = db.prepare<[number], Tally>('SELECT * FROM cell_tallies WHERE scope = ?').all(row.id)
  return {
    ...datasetHead(row),
    aliases: aliasSummaries(db, row.id, tallies),
    metrics: metricsWithValues(db, [row.id]),
    provenance: provenanceOf(db, tallies),
    conditions: conditionsOf(db, row.id),
    artifacts: artifactsOfScope(db, row.id).map(({ path, kind, state, sha256 }) => ({ path, kind, state, sha256 })),
  }
}

/** Cells of a dataset run that are equal in all of these. */
interface Tally {
  alias: number
  status: number
  provenance: number
  cells: number
}

const sum = (tallies: readonly Tally[]): number => tallies.reduce((total, { cells }) => total + cells, 0)

function aliasSummaries(db: Database.Database, scope: number, tallies: readonly Tally[]): RunDatasetSummary['aliases'] {
  return aliasesOf(db, scope).map(({ id, ...alias }) => {
    const own = tallies.filter((tally) => tally.alias === id)
    const of = (code: number): number => sum(own.filter(({ status }) => status === code))
    const cells = { ok: of(STATUS_CODES.ok), error: of(STATUS_CODES.error), timeout: of(STATUS_CODES.timeout) }
    return { ...alias, cells }
  })
}

/** The metrics that some cell of these dataset runs has a value in. */
export function metricsWithValues(db: Database.Database, scopes: readonly number[]): IndexMetric[] {
  const valued = db
    .prepare<[string, number], string>(
      'SELECT DISTINCT metric FROM column_tallies WHERE scope IN (SELECT value FROM json_each(?)) AND state = ?',
    )
    .pluck()
    .all(JSON.stringify(scopes), stateCode('ok'))
  return INDEX_METRICS.filter((metric) => valued.includes(metric))
}

function provenanceOf(db: Database.Database, tallies: readonly Tally[]): RunDatasetSummary['provenance'] {
  const digestOf = db.prepare<[number], string>('SELECT sha256 FROM provenance WHERE id = ?').pluck()
  return [...Map.groupBy(tallies, ({ provenance }) => provenance)]
    .map(([id, alike]) => ({ id, cells: sum(alike) }))
    .filter(({ id }) => id !== NO_PROVENANCE)
    .sort((a, b) => b.cells - a.cells || a.id - b.id)
    .slice(0, MAX_PROVENANCES)
    .map(({ id, cells }) => ({ sha256: digestOf.get(id)!, cells }))
}

/** Returns where a file becomes unusable; null for an intact one. */
const damageOf = ({ damageOffset: offset, damageLine: line, damageMessage: message }: Artifact) =>
  message === null ? null : { offset, line, message }

/** Size and state of the index itself. */
export function indexStatus(db: Database.Database, folders: readonly string[]): IndexStatus {
  const number = (sql: string): number => db.prepare<[], number>(sql).pluck().get()!
  const pragma = (name: string) => db.pragma(name, { simple: true })
  const damaged = readArtifacts(db).flatMap((artifact) => {
    const damage = damageOf(artifact)
    return damage === null ? [] : [{ path: artifact.path, damage }]
  })
  return {
    revision: number('SELECT revision FROM state'),
    runs: number('SELECT count(*) FROM runs'),
    cells: number('SELECT coalesce(sum(ok + error + timeout), 0) FROM dataset_runs'),
    size_bytes: Number(pragma('page_count')) * Number(pragma('page_size')),
    folders: [...folders],
    damaged: fitting(damaged),
  }
}
