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
    let sum = 0
    let count = 0
    for (let repeat = 1; repeat <= this.#rounds.length; repeat += 1) {
      if (!this.has(index, repeat)) continue
      sum += this.at(index, repeat)
      count += 1
    }
    return count === 0 ? Number.NaN : sum / count
  }

  /** One number per question that has any, its mean over the repetitions, in the order of `indexes`: the order decides how a sum is rounded. */
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

  /** How many of these questions have any number. */
  countOf(indexes: ArrayLike<number>): number {
    let count = 0
    for (let position = 0; position < indexes.length; position += 1)
      if (!Number.isNaN(this.meanAt(indexes[position]!))) count += 1
    return count
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
