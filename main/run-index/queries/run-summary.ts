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
import { artifactsOfScope, type Artifact } from '../artifact-store.ts'
import { INDEX_METRICS, valueColumn } from '../metric-columns.ts'
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
  return {
    ...datasetHead(row),
    first_finished_at: isoTime(row.first_ms),
    last_finished_at: isoTime(row.last_ms),
    evaluation: evaluationCounts(db, row.id),
    failures_by_type: failureCounts(db, row.id),
    aliases: aliasSummaries(db, row.id),
    metrics: metricsWithValues(db, row.id),
    judge_panel: row.judge_panel === null ? null : JudgeSection.parse(JSON.parse(row.judge_panel)),
    provenance: provenanceOf(db, row.id),
    artifacts: indexedArtifacts(artifactsOfScope(db, row.id)),
  }
}

function evaluationCounts(db: Database.Database, scope: number): RunDatasetSummary['evaluation'] {
  const counts = new Map(
    db
      .prepare<[number], [number | null, number]>(
        'SELECT evaluation, count(*) FROM cells WHERE scope = ? GROUP BY evaluation',
      )
      .raw()
      .all(scope),
  )
  return Object.fromEntries(
    EvaluationStatus.options.map((status, code) => [status, counts.get(code) ?? 0]),
  ) as RunDatasetSummary['evaluation']
}

function failureCounts(db: Database.Database, scope: number): RunDatasetSummary['failures_by_type'] {
  const rows = db
    .prepare<[number], [string, number]>(
      'SELECT error_type, count(*) FROM cells WHERE scope = ? AND error_type IS NOT NULL GROUP BY error_type',
    )
    .raw()
    .all(scope)
  return Object.fromEntries(rows.filter(([type]) => CellErrorType.safeParse(type).success))
}

interface AliasTally {
  alias: number
  ok: number
  error: number
  timeout: number
  mean_latency_ms: number | null
}

function aliasSummaries(db: Database.Database, scope: number): RunDatasetSummary['aliases'] {
  const tallies = new Map(
    db
      .prepare<[number], AliasTally>(
        `SELECT alias, sum(status = 0) AS ok, sum(status = 1) AS error, sum(status = 2) AS timeout,
           avg(answered_ms) AS mean_latency_ms FROM cells WHERE scope = ? GROUP BY alias`,
      )
      .all(scope)
      .map((tally) => [tally.alias, tally]),
  )
  return aliasesOf(db, scope).map(({ id, ...alias }) => {
    const { ok = 0, error = 0, timeout = 0, mean_latency_ms = null } = tallies.get(id) ?? {}
    return { ...alias, cells: { ok, error, timeout }, mean_latency_ms }
  })
}

function metricsWithValues(db: Database.Database, scope: number): IndexMetric[] {
  const counts = db
    .prepare<[number], number[]>(
      `SELECT ${INDEX_METRICS.map((metric) => `count(${valueColumn(metric)})`).join(', ')} FROM cells WHERE scope = ?`,
    )
    .raw()
    .get(scope)!
  return INDEX_METRICS.filter((_metric, place) => counts[place]! > 0)
}

function provenanceOf(db: Database.Database, scope: number): RunDatasetSummary['provenance'] {
  return db
    .prepare<[number, number], { sha256: string; cells: number; json: string }>(
      `SELECT p.sha256, count(*) AS cells, p.json FROM cells c JOIN provenance p ON p.id = c.provenance
       WHERE c.scope = ? GROUP BY p.id ORDER BY cells DESC, p.id LIMIT ?`,
    )
    .all(scope, MAX_PROVENANCES)
    .map(({ sha256, cells, json }) => ({
      sha256,
      cells,
      reproducibility: json.length > MAX_PROVENANCE_BYTES ? null : (JSON.parse(json) as Reproducibility),
    }))
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
