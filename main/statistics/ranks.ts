/** Ascending ranks from 1, equal values share the mean of theirs (midranks). */
export function midranks(values: Float64Array): Float64Array {
  const order = Array.from(values.keys()).sort((left, right) => values[left]! - values[right]!)
  const ranks = new Float64Array(values.length)
  for (let from = 0; from < order.length;) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to += 1
    for (const index of order.slice(from, to)) ranks[index] = (from + to + 1) / 2
    from = to
  }
  return ranks
}

/** Places from 1 for the highest value; equal values share the better place and the next ones are skipped. Null has no place. */
export function places(values: readonly (number | null)[]): (number | null)[] {
  return values.map((value) =>
    value === null ? null : 1 + values.filter((other) => other !== null && other > value).length,
  )
}

/** The pairs of which both values are there. */
function complete(x: Float64Array, y: Float64Array): [Float64Array, Float64Array] {
  const kept = (_: number, index: number): boolean => !Number.isNaN(x[index]) && !Number.isNaN(y[index])
  return [x.filter(kept), y.filter(kept)]
}

/** Product-moment correlation; null below two pairs or where one side does not vary. */
export function pearson(x: Float64Array, y: Float64Array): number | null {
  const [left, right] = complete(x, y)
  const n = left.length
  const meanX = left.reduce((sum, value) => sum + value, 0) / n
  const meanY = right.reduce((sum, value) => sum + value, 0) / n
  let xy = 0
  let xx = 0
  let yy = 0
  for (let at = 0; at < n; at += 1) {
    xy += (left[at]! - meanX) * (right[at]! - meanY)
    xx += (left[at]! - meanX) ** 2
    yy += (right[at]! - meanY) ** 2
  }
  return n < 2 || xx === 0 || yy === 0 ? null : xy / Math.sqrt(xx * yy)
}

/** Spearman's rank correlation with midranks for ties; NaN marks a missing value. Null where it is not defined. */
export function spearman(x: Float64Array, y: Float64Array): number | null {
  const [left, right] = complete(x, y)
  return pearson(midranks(left), midranks(right))
}

/** Kendall's τ-b, which corrects for ties on either side (Kendall 1945, Biometrika 33). Null where one side does not vary. */
export function kendallTauB(x: Float64Array, y: Float64Array): number | null {
  const [left, right] = complete(x, y)
  let agreement = 0
  let untiedX = 0
  let untiedY = 0
  for (let i = 0; i < left.length; i += 1)
    for (let j = 0; j < i; j += 1) {
      const dx = Math.sign(left[i]! - left[j]!)
      const dy = Math.sign(right[i]! - right[j]!)
      agreement += dx * dy
      untiedX += dx * dx
      untiedY += dy * dy
    }
  return untiedX === 0 || untiedY === 0 ? null : agreement / Math.sqrt(untiedX * untiedY)
}
