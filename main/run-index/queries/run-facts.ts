// The list of runs shows this of each run beyond its head: models, declared metric, and the highest mean per dataset.
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type { RunFacts, RunFactsInput } from '../../../contract/control/stored-runs.ts'
import { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import { NO_PROVENANCE } from '../apply/tallies.ts'
import { metricsWithValues } from './runs.ts'
import { columnHeads } from './column-heads.ts'
import type { ColumnCache } from './score-columns.ts'

interface ScopeRow {
  id: number
  dataset_id: string
}

/** Those of the names that are runs of the index. */
export function knownRuns(db: Database.Database, { run_ids: runIds }: z.output<typeof RunFactsInput>) {
  const names = db.prepare<[string], string>('SELECT run_id FROM runs WHERE run_id IN (SELECT value FROM json_each(?))')
  return { run_ids: names.pluck().all(JSON.stringify(runIds)) }
}

/** Facts of the runs that are indexed, in the order of the names. */
export function runFacts(
  db: Database.Database,
  { run_ids: runIds }: z.output<typeof RunFactsInput>,
  columns: ColumnCache,
): RunFacts[] {
  const scopesOf = db.prepare<[string], ScopeRow>(
    `SELECT d.id, s.dataset_id FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
     WHERE d.run = (SELECT id FROM runs WHERE run_id = ?) ORDER BY d.complexity_level, s.dataset_id`,
  )
  const modelsOf = db
    .prepare<[string], string>(
      `SELECT DISTINCT a.model FROM dataset_run_aliases l JOIN aliases a ON a.id = l.alias
       WHERE l.scope IN (SELECT value FROM json_each(?)) ORDER BY l.alias`,
    )
    .pluck()
  const conditionsOf = db.prepare<[string, number], { models: string | null; primary: string | null }>(
    `SELECT DISTINCT json_extract(p.json, '$.runtime.models.set') AS models,
       json_extract(p.json, '$.runtime.primary_metric') AS "primary"
     FROM provenance p WHERE p.id IN
       (SELECT provenance FROM cell_tallies WHERE scope IN (SELECT value FROM json_each(?)) AND provenance <> ?)`,
  )
  const hasWorking = db
    .prepare<[string], number>(
      'SELECT 1 FROM artifacts WHERE folder = 0 AND scope IN (SELECT value FROM json_each(?)) LIMIT 1',
    )
    .pluck()
  return runIds.flatMap((runId) => {
    const scopes = scopesOf.all(runId)
    if (scopes.length === 0) return []
    const ids = JSON.stringify(scopes.map(({ id }) => id))
    const conditions = conditionsOf.all(ids, NO_PROVENANCE)
    const declared = PRIMARY_METRICS.find((metric) => conditions.some(({ primary }) => primary === metric))
    return {
      run_id: runId,
      models: modelsOf.all(ids),
      model_sets: [...new Set(conditions.flatMap(({ models }) => models ?? []))],
      ...highestMeans(db, columns, runId, scopes, declared === undefined ? PRIMARY_METRICS : [declared]),
      has_working_files: hasWorking.get(ids) !== undefined,
    }
  })
}

/** The first metric that some dataset of the run has, and the highest mean of it on the shared questions of each dataset. */
function highestMeans(
  db: Database.Database,
  columns: ColumnCache,
  runId: string,
  scopes: readonly ScopeRow[],
  metrics: readonly RunFacts['primary_metric'][],
): Pick<RunFacts, 'primary_metric' | 'highest'> {
  const valued = metricsWithValues(
    db,
    scopes.map(({ id }) => id),
  )
  for (const primary of metrics) {
    const metric = IndexMetric.parse(primary)
    if (!valued.includes(metric)) continue
    const highest = scopes.flatMap(({ dataset_id }): RunFacts['highest'] => {
      const outcome = columnHeads(db, { run_id: runId, dataset_id, metric }, columns)
      if (!outcome.ok) return []
      const means = outcome.heads.heads.flatMap(({ model, common }) =>
        common === null || common.mean === null ? [] : [{ model, mean: common.mean, n: common.n }],
      )
      const best = means.toSorted((a, b) => b.mean - a.mean)[0]
      if (best === undefined) return []
      return [{ dataset_id, ...best, equal: means.filter(({ mean }) => mean === best.mean).length }]
    })
    if (highest.length > 0) return { primary_metric: primary, highest }
  }
  return { primary_metric: metrics.length === 1 ? metrics[0]! : null, highest: [] }
}
