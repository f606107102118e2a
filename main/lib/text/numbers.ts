import type { Distribution } from '../../../contract/evidence/aggregate.ts'

const SIGNIFICANT_DIGITS = 6

/** The one rounding of every figure in an artifact: whole numbers stay, others get six significant digits; -0 becomes 0. */
export function rounded(value: number): number {
  return Number.isInteger(value) ? value + 0 : Number(value.toPrecision(SIGNIFICANT_DIGITS))
}

/** Rounded, or null for what is not there. */
export const roundedOrNull = (value: number | null): number | null => (value === null ? null : rounded(value))

/** Part of a whole, rounded; null where nothing was expected. */
export const share = (part: number, expected: number): number | null =>
  expected === 0 ? null : rounded(part / expected)

/** Arithmetic mean, whatever the order of the values; null for none. */
export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null
  return total(values) / values.length
}

/** Neumaier's compensated sum (1974, ZAMM 54:39-51): the order of the values does not decide its last digit, and so no rounding of a figure. */
function total(values: ArrayLike<number>): number {
  let [sum, lost] = [0, 0]
  // Reads by index, because an iterator over a hundred thousand numbers takes noticeably longer.
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place]!
    const next = sum + value
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return sum + lost
}

/**
 * Quantile of ascending values by linear interpolation at position (n − 1)·p: type 7 of Hyndman and Fan (1996), the default of R and
 * NumPy. So the median of an even number of values is the mean of the two middle ones.
 */
export function quantile(sorted: Float64Array, p: number): number | null {
  if (sorted.length === 0) return null
  const position = (sorted.length - 1) * p
  const below = Math.floor(position)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (high - low) * (position - below)
}

/** Standard deviation of the sample, n − 1 in the denominator, in two passes; null below two values. */
export function sampleDeviation(values: Float64Array): number | null {
  if (values.length < 2) return null
  const centre = mean(values)!
  let squares = 0
  for (let place = 0; place < values.length; place += 1) squares += (values[place]! - centre) ** 2
  return Math.sqrt(squares / (values.length - 1))
}

/** Figures of a sample, rounded; all null when it is empty. Equal values in equal order give equal bytes. */
export function distributionOf(values: Float64Array): Distribution {
  const sorted = values.toSorted()
  return {
    n: values.length,
    mean: roundedOrNull(mean(values)),
    median: roundedOrNull(quantile(sorted, 0.5)),
    stdev: roundedOrNull(sampleDeviation(values)),
    p95: roundedOrNull(quantile(sorted, 0.95)),
    min: sorted.length === 0 ? null : rounded(sorted[0]!),
    max: sorted.length === 0 ? null : rounded(sorted.at(-1)!),
    sum: values.length === 0 ? null : rounded(total(values)),
  }
}

/** Every number of a figure with six significant digits, so that equal verdicts give equal bytes on every machine. */
export function roundedDeep<Value>(value: Value): Value {
  if (typeof value === 'number') return rounded(value) as Value
  if (Array.isArray(value)) return value.map(roundedDeep) as Value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, roundedDeep(member as unknown)])
  return Object.fromEntries(members) as Value
}
