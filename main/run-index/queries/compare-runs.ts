import type { z } from 'zod'
import type Database from 'better-sqlite3'
import { metricOfId, type CompareRunsInput, type RunComparison } from '../../../contract/index.ts'
import { stateColumn, valueColumn } from '../metric-columns.ts'
import { changedCells, comparedAliases, type ComparedColumn, type RunColumn } from './compare-columns.ts'
import { fitting, PAGE_BUDGET_BYTES } from './page-budget.ts'

interface Scope {
  id: number
  dataset: number
  dataset_id: string
}

/** Runs side by side in one metric: means on common questions, and the cells that changed. */
export function compareRuns(db: Database.Database, input: z.output<typeof CompareRunsInput>): RunComparison {
  const { metric, tolerance, limit } = input
  const asked = [...new Set(input.run_ids)]
  const isKnown = db.prepare<[string], number>('SELECT 1 FROM runs WHERE run_id = ?').pluck()
  const unknown = asked.filter((runId) => isKnown.get(runId) === undefined)
  const runIds = asked.filter((runId) => !unknown.includes(runId))
  const columns = readColumns(db, runIds, input)
  const aliases = columns.map((column) => comparedAliases(column, runIds, tolerance))
  const changed = changedCells(columns, runIds.length, tolerance, limit)
  const names = db.prepare<[number], { question_id: string; repeat: number }>(
    'SELECT question_id, repeat FROM questions WHERE id = ?',
  )
  const shown = fitting(aliases, PAGE_BUDGET_BYTES / 2)
  const cells = changed.cells.map(({ question, ...cell }) => ({ ...cell, ...names.get(question)! }))
  return {
    metric,
    better: metricOfId(metric).better,
    run_ids: runIds,
    unknown_run_ids: unknown,
    aliases: shown,
    changed: { total: changed.total, cells: fitting(cells, PAGE_BUDGET_BYTES / 2) },
  }
}

/** The values of each alias of each dataset, run by run. */
function readColumns(
  db: Database.Database,
  runIds: readonly string[],
  input: z.output<typeof CompareRunsInput>,
): ComparedColumn[] {
  const { metric, aliases, dataset_id } = input
  const scopes = db.prepare<[string, string | null, string | null], Scope>(
    `SELECT d.id, d.dataset, s.dataset_id FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
     WHERE d.run = (SELECT id FROM runs WHERE run_id = ?) AND (? IS NULL OR s.dataset_id = ?)
     ORDER BY d.complexity_level, s.dataset_id`,
  )
  const models = new Map(db.prepare<[], [number, string]>('SELECT id, model FROM aliases').raw().all())
  const wanted = aliases === undefined ? null : new Set(aliases)
  const cells = db
    .prepare<[number], [number, number, number | null, number]>(
      `SELECT c.alias, c.question, c.${valueColumn(metric)}, c.${stateColumn(metric)} FROM cells c WHERE c.scope = ?`,
    )
    .raw()
  const columns = new Map<string, ComparedColumn>()
  const places = new Map<number, Places>()
  for (const [run, runId] of runIds.entries())
    for (const scope of scopes.all(runId, dataset_id ?? null, dataset_id ?? null)) {
      const questions = places.get(scope.dataset) ?? new Places()
      places.set(scope.dataset, questions)
      const byAlias = new Map<number, RunColumn>()
      for (const [alias, question, value, state] of cells.all(scope.id)) {
        let column = byAlias.get(alias)
        if (column === undefined) byAlias.set(alias, (column = { values: [], states: [] }))
        const place = questions.of(question)
        // Padded, because V8 makes a slow dictionary of an array with large gaps.
        while (column.values.length < place) {
          column.values.push(Number.NaN)
          column.states.push(0)
        }
        column.values[place] = value ?? Number.NaN
        column.states[place] = state
      }
      for (const [alias, found] of byAlias) {
        const model = models.get(alias)!
        if (wanted !== null && !wanted.has(model)) continue
        const key = `${scope.dataset} ${alias}`
        let column = columns.get(key)
        if (column === undefined) {
          column = { dataset_id: scope.dataset_id, model, questions: questions.numbers, runs: runIds.map(() => null) }
          columns.set(key, column)
        }
        column.runs[run] = found
      }
    }
  return [...columns.values()]
}

/** Small consecutive places for question numbers. */
class Places {
  readonly numbers: number[] = []
  readonly #places = new Map<number, number>()

  of(question: number): number {
    const known = this.#places.get(question)
    if (known !== undefined) return known
    this.#places.set(question, this.numbers.length)
    return this.numbers.push(question) - 1
  }
}
