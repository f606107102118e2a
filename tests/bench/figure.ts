/** One measured figure of the targets. `met` is null where there is nothing to compare with on this machine. */
export interface Figure {
  id: string
  what: string
  value: number
  unit: string
  target: string
  met: boolean | null
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that `share` of the values are below. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

/** A figure that must not be above a limit. */
export const atMost = (id: string, what: string, value: number, unit: string, limit: number): Figure => ({
  id,
  what,
  value,
  unit,
  target: `≤ ${limit}`,
  met: value <= limit,
})

/** A figure without a target. */
export const shown = (id: string, what: string, value: number, unit: string): Figure => ({
  id,
  what,
  value,
  unit,
  target: '',
  met: null,
})

/** A value as it is printed: three digits, or all of a whole number. */
export const number = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(3))
