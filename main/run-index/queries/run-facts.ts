// The list of runs shows this of each run beyond its head: models, metric that decides, and the verdict per dataset.
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type { RunFacts, RunFactsInput } from '../../../contract/control/stored-runs.ts'
import { PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import { NO_PROVENANCE } from '../apply/tallies.ts'
import { metricsWithValues } from './runs.ts'

interface ScopeRow extends Omit<RunFacts['verdicts'][number], 'kind' | 'headline'> {
  id: number
  kind: RunFacts['verdicts'][number]['kind'] | null
  headline: string | null
}

/** Those of the names that are runs of the index. */
export function knownRuns(db: Database.Database, { run_ids: runIds }: z.output<typeof RunFactsInput>) {
  const names = db.prepare<[string], string>('SELECT run_id FROM runs WHERE run_id IN (SELECT value FROM json_each(?))')
  return { run_ids: names.pluck().all(JSON.stringify(runIds)) }
}

/** Facts of the runs that are indexed, in the order of the names. */
export function runFacts(db: Database.Database, { run_ids: runIds }: z.output<typeof RunFactsInput>): RunFacts[] {
  const scopesOf = db.prepare<[string], ScopeRow>(
    `SELECT d.id, s.dataset_id, d.verdict_kind AS kind, d.headline FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
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
    const valued: readonly string[] = metricsWithValues(
      db,
      scopes.map(({ id }) => id),
    )
    return {
      run_id: runId,
      models: modelsOf.all(ids),
      model_sets: [...new Set(conditions.flatMap(({ models }) => models ?? []))],
      primary_metric: declared ?? PRIMARY_METRICS.find((metric) => valued.includes(metric)) ?? null,
      verdicts: scopes.flatMap(({ dataset_id, kind, headline }) =>
        kind === null || headline === null ? [] : [{ dataset_id, kind, headline }],
      ),
      has_working_files: hasWorking.get(ids) !== undefined,
    }
  })
}
