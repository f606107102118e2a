/** Sweeps stop when no group mean is further from 0 than this share of the values' size, or after as many. */
const TOLERANCE = 1e-12
const MOST_SWEEPS = 1000

/** Number of each name in order of first appearance. */
export function numbered(names: readonly string[]): { indexes: Int32Array; size: number } {
  const numbers = new Map(Array.from(new Set(names), (name, index) => [name, index]))
  return { indexes: Int32Array.from(names, (name) => numbers.get(name)!), size: numbers.size }
}

/**
 * What is left of the values when the mean of every group in every grouping is taken out: the residuals of a regression on fixed
 * effects, by alternating projections (Halperin 1962; Guimarães and Portugal 2010, Stata Journal 10).
 */
export function withoutGroupMeans(values: Float64Array, groupings: readonly (readonly string[])[]): Float64Array {
  const residuals = Float64Array.from(values)
  const size = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const groups = groupings.map(numbered)
  const sweeps = groupings.length === 1 ? 1 : MOST_SWEEPS
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const largest = Math.max(...groups.map(({ indexes, size: count }) => centre(residuals, indexes, count)))
    if (largest <= TOLERANCE * size) break
  }
  // Rounding leaves dust where a value is wholly explained; later sums must see that there is nothing.
  return residuals.map((residual) => (Math.abs(residual) <= 1e-9 * size ? 0 : residual))
}

/** Takes the mean out of each group and gives the largest one found. */
function centre(values: Float64Array, indexes: Int32Array, count: number): number {
  const sums = new Float64Array(count)
  const counts = new Float64Array(count)
  for (const [at, group] of indexes.entries()) {
    sums[group]! += values[at]!
    counts[group]! += 1
  }
  const means = sums.map((sum, group) => sum / counts[group]!)
  for (const [at, group] of indexes.entries()) values[at]! -= means[group]!
  return means.reduce((most, mean) => Math.max(most, Math.abs(mean)), 0)
}
