// Runs side by side in one metric. A column is one alias of one dataset; its values are lists by the index of an answer, and NaN means no value.
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type {
  ChangedCell,
  ComparedAlias,
  CompareRunsInput,
  RunComparison,
} from '../../../contract/control/run-index/compare-runs.ts'
import { Column, meanOver, sharedBy } from '../../report/aggregate/column.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
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
  const repetitions = db
    .prepare<[number], [number, number, number]>(
      `SELECT q.id, q.repeat, (SELECT f.id FROM questions f WHERE f.dataset = q.dataset AND f.question_id = q.question_id
         AND f.digest = q.digest ORDER BY f.repeat LIMIT 1) AS asked
       FROM questions q WHERE q.dataset = ? AND q.repeat > 1`,
    )
    .raw()
  const cells = db
    .prepare<[number], [number, number, number | null, number]>(
      `SELECT c.alias, c.question, c.${valueColumn(metric)}, c.${stateColumn(metric)} FROM cells c WHERE c.scope = ?`,
    )
    .raw()
  const columns = new Map<string, ComparedColumn>()
  const indexes = new Map<number, AnswerIndexes>()
  for (const [run, runId] of runIds.entries())
    for (const scope of scopes.all(runId, dataset_id ?? null, dataset_id ?? null)) {
      const questions = indexes.get(scope.dataset) ?? new AnswerIndexes(repetitions.all(scope.dataset))
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
          const { numbers, places } = questions
          column = { dataset_id: scope.dataset_id, model, questions: numbers, places, runs: runIds.map(() => null) }
          columns.set(key, column)
        }
        column.runs[run] = found
      }
    }
  return [...columns.values()]
}

/** Consecutive indexes, from 0, for the numbers of questions, of which each repetition has one. */
class AnswerIndexes {
  readonly numbers: number[] = []
  readonly places: AnswerPlace[] = []
  readonly #indexes = new Map<number, number>()
  readonly #asked = new Map<number, number>()
  readonly #repetitions: Map<number, { repeat: number; asked: number }>

  constructor(repetitions: readonly [question: number, repeat: number, asked: number][]) {
    this.#repetitions = new Map(repetitions.map(([question, repeat, asked]) => [question, { repeat, asked }]))
  }

  of(question: number): number {
    const known = this.#indexes.get(question)
    if (known !== undefined) return known
    this.#indexes.set(question, this.numbers.length)
    const { repeat, asked } = this.#repetitions.get(question) ?? { repeat: 1, asked: question }
    const place = this.#asked.get(asked) ?? this.#asked.size
    this.#asked.set(asked, place)
    this.places.push({ question: place, repeat })
    return this.numbers.push(question) - 1
  }
}

/** The question that an answer belongs to, by a consecutive index, and which of its answers it is. */
interface AnswerPlace {
  question: number
  repeat: number
}

/** Values and states of one alias in one run, by the index of the answer in `questions`; a shorter list has no value for the rest. */
interface RunColumn {
  /** Undefined or NaN: no value. */
  values: number[]
  states: number[]
}

/** One alias of one dataset in all compared runs. Null: the run lacks the alias. */
export interface ComparedColumn {
  dataset_id: string
  model: string
  /** Numbers of the dataset's questions in any of the runs, each repetition by itself. */
  questions: readonly number[]
  /** By the same index. */
  places: readonly AnswerPlace[]
  runs: (RunColumn | null)[]
}

const has = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value)

/** Not equal within the tolerance, or only one of them exists. */
const differs = (a: number | undefined, b: number | undefined, tolerance: number): boolean =>
  has(a) && has(b) ? Math.abs(a - b) > tolerance : has(a) !== has(b)

/** Means of an alias in each run that has it, over its own questions and over those that all of these runs have values for. */
export function comparedAliases(
  { dataset_id, model, questions, places, runs }: ComparedColumn,
  runIds: readonly string[],
  tolerance: number,
): ComparedAlias {
  const present = runs.flatMap((found, run) =>
    found === null ? [] : [{ found, run, column: columnOf(found, places) }],
  )
  const asked = Array.from({ length: new Set(places.map(({ question }) => question)).size }, (_, index) => index)
  const columns = present.map(({ column }) => column)
  const common = sharedBy(columns, asked)
  const first = runs[0]?.values
  return {
    dataset_id,
    model,
    common: common.length,
    runs: present.map(({ found: { values }, run, column }) => {
      const differing =
        first === undefined ? [] : questions.filter((_, at) => differs(values[at], first[at], tolerance))
      return {
        run_id: runIds[run]!,
        n: values.filter(has).length,
        mean: meanOver(column, asked),
        common_mean: meanOver(column, common),
        changed: differing.length,
      }
    }),
  }
}

function columnOf({ values }: RunColumn, places: readonly AnswerPlace[]): Column {
  const column = new Column()
  for (const [at, value] of values.entries())
    if (has(value)) column.set(places[at]!.question, value, places[at]!.repeat)
  return column
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
