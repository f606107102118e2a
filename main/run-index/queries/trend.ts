// The runs of one dataset through time, and which of them measured the same thing: the same questions on the same documents.
import type Database from 'better-sqlite3'
import type { RunTrend, TrendDifference, TrendInput, TrendRun } from '../../../contract/control/run-index/trend.ts'
import { NO_PROVENANCE } from '../apply/tallies.ts'
import { findDatasetRun, notFound } from './dataset-run.ts'

interface ScopeRow {
  id: number
  run_id: string
  label: string
  last_ms: number | null
}

/** Of each kind, comparable or not: what one call of the frontier takes. */
const MOST_RUNS = 20

/** The newest runs of a dataset, apart where they do not compare with the asked one; `not_found` where that has no row of it. */
export function runTrend(
  db: Database.Database,
  { run_id: runId, dataset_id: datasetId }: TrendInput,
): { ok: true; trend: RunTrend } | ReturnType<typeof notFound> {
  const asked = findDatasetRun(db, runId, datasetId)
  if (asked === null) return notFound(`dataset ${datasetId} in a run ${runId}`)
  const questionsOf = questionReader(db)
  const conditionsOf = conditionReader(db)
  const [questions, conditions] = [new Set(questionsOf(asked.id)), conditionsOf(asked.id)]
  const scopes = db
    .prepare<[string], ScopeRow>(
      `SELECT d.id, r.run_id, d.label, d.last_ms FROM dataset_runs d JOIN runs r ON r.id = d.run
       WHERE d.dataset = (SELECT id FROM datasets WHERE dataset_id = ?) AND d.ok + d.error + d.timeout > 0
       ORDER BY coalesce(d.last_ms, 0) DESC, r.run_id DESC`,
    )
    .all(datasetId)
  const runs = scopes.map(({ id, run_id, last_ms }): TrendRun => {
    const own = questionsOf(id)
    const shared = own.filter((question) => questions.has(question)).length
    const its = conditionsOf(id)
    return {
      run_id,
      at: last_ms === null ? null : new Date(last_ms).toISOString(),
      questions: own.length,
      shared_questions: shared,
      ...its,
      differs: [
        ...(shared === own.length && shared === questions.size ? [] : ['questions' as const]),
        ...(id === asked.id ? [] : corpusDifference(its.corpora, conditions.corpora)),
      ],
    }
  })
  const newest = (kind: TrendRun[]): TrendRun[] => kind.slice(0, MOST_RUNS).toReversed()
  const comparable = newest(runs.filter(({ differs }) => differs.length === 0))
  const apart = newest(runs.filter(({ differs }) => differs.length > 0))
  const label = scopes.find(({ id }) => id === asked.id)?.label ?? datasetId
  const older = runs.length - comparable.length - apart.length
  return { ok: true, trend: { run_id: runId, dataset_id: datasetId, label, comparable, apart, older } }
}

function corpusDifference(its: readonly string[], own: readonly string[]): TrendDifference[] {
  if (its.length === 0 || own.length === 0) return ['corpus_unknown']
  return its.join() === own.join() ? [] : ['corpus']
}

/** Ids of the questions of a dataset run; a question that was changed has another id. Repetitions do not count. */
function questionReader(db: Database.Database): (scope: number) => number[] {
  const statement = db
    .prepare<[number], number>(
      `SELECT q.id FROM dataset_run_questions l JOIN questions q ON q.id = l.question
       WHERE l.scope = ? AND q.repeat = 1 ORDER BY q.id`,
    )
    .pluck()
  return (scope) => statement.all(scope)
}

function conditionReader(db: Database.Database): (scope: number) => Pick<TrendRun, 'corpora' | 'model_sets'> {
  const statement = db.prepare<[number, number], { corpus: string | null; models: string | null }>(
    `SELECT DISTINCT json_extract(p.json, '$.ingestion.content_digest') AS corpus,
       json_extract(p.json, '$.runtime.models.set') AS models
     FROM provenance p WHERE p.id IN (SELECT provenance FROM cell_tallies WHERE scope = ? AND provenance <> ?)`,
  )
  return (scope) => {
    const rows = statement.all(scope, NO_PROVENANCE)
    const distinct = (values: (string | null)[]): string[] =>
      [...new Set(values.filter((value) => value !== null))].toSorted()
    return {
      corpora: distinct(rows.map(({ corpus }) => corpus)),
      model_sets: distinct(rows.map(({ models }) => models)),
    }
  }
}
