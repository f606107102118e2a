// Runs side by side in one metric. A column is one alias of one dataset; its values are lists by question index, and NaN means no value.
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import {
  metricOfId,
  type ChangedCell,
  type ComparedAlias,
  type CompareRunsInput,
  type RunComparison,
} from '../../../contract/index.ts'
import { stateColumn, stateOfCode, valueColumn } from '../schema.ts'
import { fitting, PAGE_BUDGET_BYTES } from './fit-answer.ts'

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
  const names = db.prepare<[number], { question_id: string; repeat: number; query: string | null }>(
    'SELECT question_id, repeat, query FROM questions WHERE id = ?',
  )
  const rowIds = db
    .prepare<[string, string, number, string], string>(
      `SELECT lower(hex(c.row_id)) FROM dataset_runs d JOIN datasets s ON s.id = d.dataset
       JOIN cells c ON c.scope = d.id JOIN aliases a ON a.id = c.alias
       WHERE d.run = (SELECT id FROM runs WHERE run_id = ?) AND s.dataset_id = ? AND c.question = ? AND a.model = ?`,
    )
    .pluck()
  const shown = fitting(aliases, PAGE_BUDGET_BYTES / 2)
  const cells = changed.cells.map(({ question, ...cell }) => ({
    ...cell,
    ...names.get(question)!,
    row_ids: runIds.map((runId) => rowIds.get(runId, cell.dataset_id, question, cell.model) ?? null),
  }))
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
  const indexes = new Map<number, QuestionIndexes>()
  for (const [run, runId] of runIds.entries())
    for (const scope of scopes.all(runId, dataset_id ?? null, dataset_id ?? null)) {
      const questions = indexes.get(scope.dataset) ?? new QuestionIndexes()
      indexes.set(scope.dataset, questions)
      const byAlias = new Map<number, RunColumn>()
      for (const [alias, question, value, state] of cells.all(scope.id)) {
        let column = byAlias.get(alias)
        if (column === undefined) byAlias.set(alias, (column = { values: [], states: [] }))
        const index = questions.of(question)
        // Padded, because V8 makes a slow dictionary of an array with large gaps.
        while (column.values.length < index) {
          column.values.push(Number.NaN)
          column.states.push(0)
        }
        column.values[index] = value ?? Number.NaN
        column.states[index] = state
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

/** Consecutive indexes, from 0, for question numbers. */
class QuestionIndexes {
  readonly numbers: number[] = []
  readonly #indexes = new Map<number, number>()

  of(question: number): number {
    const known = this.#indexes.get(question)
    if (known !== undefined) return known
    this.#indexes.set(question, this.numbers.length)
    return this.numbers.push(question) - 1
  }
}

/** Values and states of one alias in one run, by the index of the question in `questions`; a shorter list has no value for the rest. */
interface RunColumn {
  /** Undefined or NaN: no value. */
  values: number[]
  states: number[]
}

/** One alias of one dataset in all compared runs. Null: the run lacks the alias. */
export interface ComparedColumn {
  dataset_id: string
  model: string
  /** Numbers of the dataset's questions in any of the runs. */
  questions: readonly number[]
  runs: (RunColumn | null)[]
}

const has = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value)

/** Not equal within the tolerance, or only one of them exists. */
const differs = (a: number | undefined, b: number | undefined, tolerance: number): boolean =>
  has(a) && has(b) ? Math.abs(a - b) > tolerance : has(a) !== has(b)

/** Means of an alias in each run that has it, over its own questions and over those that all of these runs have values for. */
export function comparedAliases(
  { dataset_id, model, questions, runs }: ComparedColumn,
  runIds: readonly string[],
  tolerance: number,
): ComparedAlias {
  const present = runs.flatMap((column, run) => (column === null ? [] : [{ values: column.values, run }]))
  const isCommon = questions.map((_question, index) => present.every(({ values }) => has(values[index])))
  const common = isCommon.filter(Boolean).length
  const first = runs[0]?.values
  return {
    dataset_id,
    model,
    common,
    runs: present.map(({ values, run }) => {
      const tally = { n: 0, sum: 0, commonSum: 0, changed: 0 }
      for (const [index, isShared] of isCommon.entries()) {
        const value = values[index]
        if (first !== undefined && differs(value, first[index], tolerance)) tally.changed += 1
        if (!has(value)) continue
        tally.n += 1
        tally.sum += value
        if (isShared) tally.commonSum += value
      }
      return {
        run_id: runIds[run]!,
        n: tally.n,
        mean: tally.n === 0 ? null : tally.sum / tally.n,
        common_mean: common === 0 ? null : tally.commonSum / common,
        changed: tally.changed,
      }
    }),
  }
}

type ChangedCellRecord = Omit<ChangedCell, 'question_id' | 'repeat' | 'query' | 'row_ids'> & { question: number }

interface Candidate {
  column: ComparedColumn
  index: number
  /** −1 where fewer than two runs have a value. */
  spread: number
}

/** Cells that differ between any two of the runs that have their alias: how many, and the largest changes. */
export function changedCells(
  columns: readonly ComparedColumn[],
  runCount: number,
  tolerance: number,
  limit: number,
): { total: number; cells: ChangedCellRecord[] } {
  const candidates = columns.flatMap((column) => candidatesOf(column, tolerance))
  candidates.sort((a, b) => b.spread - a.spread || a.column.questions[a.index]! - b.column.questions[b.index]!)
  const cells = candidates.slice(0, limit).map(({ column, index, spread }): ChangedCellRecord => {
    const runs = Array.from({ length: runCount }, (_, run) => column.runs[run])
    const values = runs.map((found) => found?.values[index])
    return {
      dataset_id: column.dataset_id,
      question: column.questions[index]!,
      model: column.model,
      spread: spread < 0 ? null : spread,
      values: values.map((value) => (has(value) ? value : null)),
      states: runs.map((found) => stateOfCode(found?.states[index] ?? 0)),
    }
  })
  return { total: candidates.length, cells }
}

function candidatesOf(column: ComparedColumn, tolerance: number): Candidate[] {
  const present = column.runs.filter((found) => found !== null)
  if (present.length < 2) return []
  const candidates: Candidate[] = []
  for (const index of column.questions.keys()) {
    let [low, high, count] = [Infinity, -Infinity, 0]
    for (const { values } of present) {
      const value = values[index]
      if (!has(value)) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
      count += 1
    }
    if (count === 0 || (count === present.length && high - low <= tolerance)) continue
    candidates.push({ column, index, spread: count > 1 ? high - low : -1 })
  }
  return candidates
}
