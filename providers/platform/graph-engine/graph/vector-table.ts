/** Unit vectors of one dimension, row after row. */
export interface VectorTable {
  readonly count: number
  readonly dimensions: number
  /** Cosine of each row with a unit vector; zero for all when the table is empty. */
  similarities(query: Float32Array): Float32Array
  /** Cosine of one row with a unit vector. */
  similarity(query: Float32Array, row: number): number
}

const LANES = 4

/** A table of these vectors in their order. They must be of one dimension. */
export function createVectorTable(vectors: readonly Float32Array[]): VectorTable {
  const dimensions = vectors[0]?.length ?? 0
  const rows = new Float32Array(Math.ceil(vectors.length / LANES) * LANES * dimensions)
  vectors.forEach((vector, index) => {
    rows.set(vector, index * dimensions)
  })
  return {
    count: vectors.length,
    dimensions,
    similarities(query) {
      const scores = new Float32Array(vectors.length)
      if (vectors.length === 0) return scores
      // A double-precision copy spares a conversion per multiplication; four rows at a time keep the units of the processor busy.
      const wide = Float64Array.from(query)
      for (let row = 0; row < vectors.length; row += LANES) {
        let [s0, s1, s2, s3] = [0, 0, 0, 0]
        for (let column = 0, at = row * dimensions; column < dimensions; column += 1, at += 1) {
          const x = wide[column]!
          s0 += rows[at]! * x
          s1 += rows[at + dimensions]! * x
          s2 += rows[at + 2 * dimensions]! * x
          s3 += rows[at + 3 * dimensions]! * x
        }
        scores.set([s0, s1, s2, s3].slice(0, vectors.length - row), row)
      }
      return scores
    },
    similarity(query, row) {
      let sum = 0
      for (let column = 0, at = row * dimensions; column < dimensions; column += 1, at += 1)
        sum += rows[at]! * query[column]!
      return sum
    },
  }
}

/** Positions of the `limit` highest scores above zero, best first, equal ones by position. */
export function highest(scores: ArrayLike<number>, limit: number): number[] {
  const best: number[] = []
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index]!
    if (score <= 0 || (best.length === limit && score <= scores[best.at(-1)!]!)) continue
    let place = best.length
    while (place > 0 && scores[best[place - 1]!]! < score) place -= 1
    best.splice(place, 0, index)
    if (best.length > limit) best.pop()
  }
  return best
}
