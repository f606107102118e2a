import type Database from 'better-sqlite3'
import {
  CellErrorType,
  EvaluationStatus,
  JudgeSection,
  type IndexedArtifact,
  type IndexMetric,
  type Reproducibility,
  type RunDatasetSummary,
  type RunSummaryOutcome,
} from '../../../contract/index.ts'
import { latencyMs } from '../../../contract/metrics/latency-ms.ts'
import { artifactsOfScope, type Artifact } from '../artifact-store.ts'
import { NO_PROVENANCE } from '../cell-tallies.ts'
import { INDEX_METRICS, stateCode } from '../metric-columns.ts'
import { STATUS_CODES } from '../schema.ts'
import { columnFigures } from './column-figures.ts'
import { aliasesOf, notFound } from './dataset-run.ts'
import { DATASET_HEAD, datasetHead, isoTime, type DatasetRow } from './list-runs.ts'

const MAX_PROVENANCE_BYTES = 64_000
const MAX_PROVENANCES = 5

/** Everything about a run but its cells. */
export function runSummary(db: Database.Database, { run_id }: { run_id: string }): RunSummaryOutcome {
  const rows = db
    .prepare<[string], DatasetRow & { id: number; judge_panel: string | null }>(
      `SELECT ${DATASET_HEAD}, d.judge_panel FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
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

function datasetSummary(
  db: Database.Database,
  row: DatasetRow & { id: number; judge_panel: string | null },
): RunDatasetSummary {
  const tallies = db.prepare<[number], Tally>('SELECT * FROM cell_tallies WHERE scope = ?').all(row.id)
  return {
    ...datasetHead(row),
    first_finished_at: isoTime(row.first_ms),
    last_finished_at: isoTime(row.last_ms),
    evaluation: evaluationCounts(tallies),
    failures_by_type: failureCounts(tallies),
    aliases: aliasSummaries(db, row.id, tallies),
    metrics: metricsWithValues(db, row.id),
    judge_panel: row.judge_panel === null ? null : JudgeSection.parse(JSON.parse(row.judge_panel)),
    provenance: provenanceOf(db, tallies),
    artifacts: indexedArtifacts(artifactsOfScope(db, row.id)),
  }
}

/** Cells of a dataset run that are alike in all of these. */
interface Tally {
  alias: number
  status: number
  evaluation: number
  error_type: string
  provenance: number
  cells: number
}

const sum = (tallies: readonly Tally[]): number => tallies.reduce((total, { cells }) => total + cells, 0)

function evaluationCounts(tallies: readonly Tally[]): RunDatasetSummary['evaluation'] {
  const of = (code: number): number => sum(tallies.filter(({ evaluation }) => evaluation === code))
  return Object.fromEntries(
    EvaluationStatus.options.map((status, code) => [status, of(code)]),
  ) as RunDatasetSummary['evaluation']
}

function failureCounts(tallies: readonly Tally[]): RunDatasetSummary['failures_by_type'] {
  const types = [...Map.groupBy(tallies, ({ error_type }) => error_type)]
  return Object.fromEntries(
    types.flatMap(([type, alike]) => (CellErrorType.safeParse(type).success ? [[type, sum(alike)]] : [])),
  )
}

function aliasSummaries(db: Database.Database, scope: number, tallies: readonly Tally[]): RunDatasetSummary['aliases'] {
  const latencies = columnFigures(db, scope, latencyMs.id)
  return aliasesOf(db, scope).map(({ id, ...alias }) => {
    const own = tallies.filter((tally) => tally.alias === id)
    const of = (code: number): number => sum(own.filter(({ status }) => status === code))
    const cells = { ok: of(STATUS_CODES.ok), error: of(STATUS_CODES.error), timeout: of(STATUS_CODES.timeout) }
    return { ...alias, cells, mean_latency_ms: latencies.get(id)?.mean ?? null }
  })
}

function metricsWithValues(db: Database.Database, scope: number): IndexMetric[] {
  const valued = db
    .prepare<[number, number], string>('SELECT DISTINCT metric FROM column_tallies WHERE scope = ? AND state = ?')
    .pluck()
    .all(scope, stateCode('ok'))
  return INDEX_METRICS.filter((metric) => valued.includes(metric))
}

function provenanceOf(db: Database.Database, tallies: readonly Tally[]): RunDatasetSummary['provenance'] {
  const stored = db.prepare<[number], { sha256: string; json: string }>(
    'SELECT sha256, json FROM provenance WHERE id = ?',
  )
  return [...Map.groupBy(tallies, ({ provenance }) => provenance)]
    .map(([id, alike]) => ({ id, cells: sum(alike) }))
    .filter(({ id }) => id !== NO_PROVENANCE)
    .sort((a, b) => b.cells - a.cells || a.id - b.id)
    .slice(0, MAX_PROVENANCES)
    .map(({ id, cells }) => {
      const { sha256, json } = stored.get(id)!
      const isShown = json.length <= MAX_PROVENANCE_BYTES
      return { sha256, cells, reproducibility: isShown ? (JSON.parse(json) as Reproducibility) : null }
    })
}

/** Artifacts as they are shown; a copy is compared with the file of its kind that is indexed. */
function indexedArtifacts(artifacts: readonly Artifact[]): IndexedArtifact[] {
  return artifacts.map((artifact) => {
    const { path, kind, state, sizeBytes, modifiedMs, appliedBytes, sha256 } = artifact
    const original = artifacts.find((other) => other.kind === kind && other.state !== 'copy')
    return {
      path,
      kind,
      state,
      size_bytes: sizeBytes,
      modified_ms: modifiedMs,
      applied_bytes: appliedBytes,
      sha256,
      damage: damageOf(artifact),
      differs: state === 'copy' ? original?.sha256 !== sha256 : null,
    }
  })
}

/** Where a file stops being usable; null for a sound one. */
export const damageOf = ({ damageOffset: offset, damageLine: line, damageMessage: message }: Artifact) =>
  message === null ? null : { offset, line, message }
