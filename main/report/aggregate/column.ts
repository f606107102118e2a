// Every mean of a metric that reports, terminal, pages and the run index show is made here: first the mean over the repetitions of a question,
// then the mean over questions, so that a question that was answered more often does not weigh more. Decision 212 says what is pooled instead.
import type { Distribution } from '../../../contract/evidence/aggregate.ts'
import { distributionOf, mean, roundedOrNull } from '../../lib/text/numbers.ts'

const NONE = new Float64Array(0)

/** One number per question and repetition, addressed by the question's index; NaN means no number. Grows as questions are added. */
export class Column {
  /** By repetition, then question. */
  readonly #rounds: Float64Array[] = []

  set(index: number, value: number, repeat = 1): void {
    while (this.#rounds.length < repeat) this.#rounds.push(NONE)
    let values = this.#rounds[repeat - 1]!
    if (index >= values.length) {
      const grown = new Float64Array(Math.max(index + 1, values.length * 2, 32)).fill(Number.NaN)
      grown.set(values)
      values = grown
      this.#rounds[repeat - 1] = grown
    }
    values[index] = value
  }

  /** A question's number in one repetition; NaN for none. */
  at(index: number, repeat = 1): number {
    return this.#rounds[repeat - 1]?.[index] ?? Number.NaN
  }

  has(index: number, repeat = 1): boolean {
    return !Number.isNaN(this.at(index, repeat))
  }

  /** The mean over the repetitions of a question that have a number; NaN when none has. */
  meanAt(index: number): number {
    if (this.#rounds.length <= 1) return this.at(index)
    const values: number[] = []
    for (let repeat = 1; repeat <= this.#rounds.length; repeat += 1)
      if (this.has(index, repeat)) values.push(this.at(index, repeat))
    return mean(values) ?? Number.NaN
  }

  /** One number per question that has any, its mean over the repetitions, in the order of `indexes`. */
  take(indexes: ArrayLike<number>): Float64Array {
    const [first = NONE] = this.#rounds
    const isSingle = this.#rounds.length <= 1
    const taken = new Float64Array(indexes.length)
    let count = 0
    for (let position = 0; position < indexes.length; position += 1) {
      const index = indexes[position]!
      const value = isSingle ? (index < first.length ? first[index]! : Number.NaN) : this.meanAt(index)
      if (!Number.isNaN(value)) taken[count++] = value
    }
    return taken.subarray(0, count)
  }

  /** Returns how many of these questions have any number. */
  countOf(indexes: ArrayLike<number>): number {
    let count = 0
    for (let position = 0; position < indexes.length; position += 1)
      if (!Number.isNaN(this.meanAt(indexes[position]!))) count += 1
    return count
  }

  /** The same column with another number for each number. */
  map(change: (value: number) => number): Column {
    const changed = new Column()
    for (const values of this.#rounds)
      changed.#rounds.push(values.map((value) => (Number.isNaN(value) ? value : change(value))))
    return changed
  }

  /** Every number: question by question, repetition by repetition. */
  takeAll(indexes: ArrayLike<number>): Float64Array {
    if (this.#rounds.length <= 1) return this.take(indexes)
    const taken: number[] = []
    for (let position = 0; position < indexes.length; position += 1)
      for (let repeat = 1; repeat <= this.#rounds.length; repeat += 1)
        if (this.has(indexes[position]!, repeat)) taken.push(this.at(indexes[position]!, repeat))
    return Float64Array.from(taken)
  }
}

/** Mean over these questions, rounded as in every artifact; null where none has a number. */
export const meanOver = (column: Column, indexes: ArrayLike<number>): number | null =>
  roundedOrNull(mean(column.take(indexes)))

/** A quantity of single answers: median, deviation, 95th percentile, ends and sum are of all answers, the mean is that of questions. */
export const spreadOf = (column: Column, indexes: ArrayLike<number>): Distribution => ({
  ...distributionOf(column.takeAll(indexes)),
  mean: meanOver(column, indexes),
})

/** The questions that every column with numbers has a number for; `unequal` when a column has more. */
export interface CommonQuestions {
  indexes: readonly number[]
  unequal: boolean
}

/** Those of the questions that each column has a number for. */
export const sharedBy = (columns: readonly Column[], questions: readonly number[]): number[] =>
  questions.filter((index) => columns.every((column) => !Number.isNaN(column.meanAt(index))))

export function commonQuestions(columns: readonly Column[], questions: readonly number[]): CommonQuestions {
  const counts = columns.map((column) => column.countOf(questions))
  const scoring = columns.filter((_column, at) => counts[at]! > 0)
  const indexes = sharedBy(scoring, questions)
  return { indexes, unequal: counts.some((count) => count > 0 && count !== indexes.length) }
}
