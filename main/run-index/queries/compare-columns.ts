import type { ChangedCell, ComparedAlias } from '../../../contract/index.ts'
import { stateOfCode } from '../metric-columns.ts'

/** Values and states of one alias in one run, by the place of the question in `questions`; what is not there is missing. */
export interface RunColumn {
  /** Undefined or NaN: no value. */
  values: number[]
  states: number[]
}

/** One alias of one dataset in all compared runs. Null: the run lacks the alias. */
export interface ComparedColumn {
  dataset_id: string
  model: string
  /** Numbers of the dataset's questions in any of the runs; the same number only for the same question. */
  questions: readonly number[]
  runs: (RunColumn | null)[]
}

const has = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value)

/** Not equal within the tolerance, or there in one of them only. */
const differs = (a: number | undefined, b: number | undefined, tolerance: number): boolean =>
  has(a) && has(b) ? Math.abs(a - b) > tolerance : has(a) !== has(b)

/** Means of an alias in each run that has it, over its own questions and over those that all of these runs have values for. */
export function comparedAliases(
  { dataset_id, model, questions, runs }: ComparedColumn,
  runIds: readonly string[],
  tolerance: number,
): ComparedAlias {
  const there = runs.flatMap((column, run) => (column === null ? [] : [{ values: column.values, run }]))
  const isCommon = questions.map((_question, place) => there.every(({ values }) => has(values[place])))
  const common = isCommon.filter(Boolean).length
  const first = runs[0]?.values
  return {
    dataset_id,
    model,
    common,
    runs: there.map(({ values, run }) => {
      const tally = { n: 0, sum: 0, commonSum: 0, changed: 0 }
      for (const [place, isShared] of isCommon.entries()) {
        const value = values[place]
        if (first !== undefined && differs(value, first[place], tolerance)) tally.changed += 1
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

export type ChangedCellRecord = Omit<ChangedCell, 'question_id' | 'repeat'> & { question: number }

interface Candidate {
  column: ComparedColumn
  place: number
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
  candidates.sort((a, b) => b.spread - a.spread || a.column.questions[a.place]! - b.column.questions[b.place]!)
  const cells = candidates.slice(0, limit).map(({ column, place, spread }): ChangedCellRecord => {
    const runs = Array.from({ length: runCount }, (_, run) => column.runs[run])
    const values = runs.map((found) => found?.values[place])
    return {
      dataset_id: column.dataset_id,
      question: column.questions[place]!,
      model: column.model,
      spread: spread < 0 ? null : spread,
      values: values.map((value) => (has(value) ? value : null)),
      states: runs.map((found) => stateOfCode(found?.states[place] ?? 0)),
    }
  })
  return { total: candidates.length, cells }
}

function candidatesOf(column: ComparedColumn, tolerance: number): Candidate[] {
  const there = column.runs.filter((found) => found !== null)
  if (there.length < 2) return []
  const candidates: Candidate[] = []
  for (const place of column.questions.keys()) {
    let [low, high, count] = [Infinity, -Infinity, 0]
    for (const { values } of there) {
      const value = values[place]
      if (!has(value)) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
      count += 1
    }
    if (count === 0 || (count === there.length && high - low <= tolerance)) continue
    candidates.push({ column, place, spread: count > 1 ? high - low : -1 })
  }
  return candidates
}
