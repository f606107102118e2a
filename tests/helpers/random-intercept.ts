import { studentCdf } from '../../main/statistics/distributions.ts'

/**
 * Two-sided p-value of a mean of 0 in a linear model with a random intercept per cluster, by restricted maximum likelihood (Patterson and Thompson 1971,
 * Biometrika 58:545-554): the ratio of the variances is searched, mean and error are by generalized least squares, and t has one degree of freedom less
 * than there are clusters. What the tool's test is compared with; it is no part of the tool.
 */
export function randomInterceptValue(values: Float64Array, clusters: readonly string[]): number {
  const groups = [...Map.groupBy(values.keys(), (at) => clusters[at]!).values()].map((members) => {
    const own = members.map((at) => values[at]!)
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length
    return { size: own.length, mean, within: own.reduce((sum, value) => sum + (value - mean) ** 2, 0) }
  })
  const n = values.length
  const within = groups.reduce((sum, group) => sum + group.within, 0)
  const fitted = (ratio: number) => {
    const weights = groups.map(({ size }) => size / (1 + size * ratio))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const mean = groups.reduce((sum, group, at) => sum + weights[at]! * group.mean, 0) / total
    const squares = within + groups.reduce((sum, group, at) => sum + weights[at]! * (group.mean - mean) ** 2, 0)
    const logs = groups.reduce((sum, { size }) => sum + Math.log(1 + size * ratio), 0)
    const variance = squares / (n - 1)
    return { mean, error: Math.sqrt(variance / total), loss: (n - 1) * Math.log(variance) + logs + Math.log(total) }
  }
  // The loss has one minimum in the logarithm of the ratio; a ratio of 0 is compared with it.
  let [low, high] = [-12, 6]
  for (let step = 0; step < 40; step += 1) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3]
    if (fitted(Math.exp(left)).loss < fitted(Math.exp(right)).loss) high = right
    else low = left
  }
  const [none, some] = [fitted(0), fitted(Math.exp((low + high) / 2))]
  const { mean, error } = none.loss <= some.loss ? none : some
  return 2 * studentCdf(-Math.abs(mean / error), groups.length - 1)
}
