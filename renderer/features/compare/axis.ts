/** How the name of an upright axis is written. */
export const AXIS_LABEL = {
  angle: -90,
  position: 'insideLeft',
  fill: 'var(--dim)',
  fontSize: 12,
  style: { textAnchor: 'middle' },
} as const

/** Round marks around all values, 0.05 or 0.1 apart, 0.5 for grades; the axis need not start at 0, so it says where it does. */
export function qualityTicks(values: readonly (number | null)[]): number[] {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return [0, 1]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const step = high > 1 ? 0.5 : high - low > 0.3 ? 0.1 : 0.05
  const first = Math.max(0, Math.floor(low / step - 0.2))
  const last = Math.ceil(high / step + 0.2)
  return Array.from({ length: last - first + 1 }, (_, index) => Math.round((first + index) * step * 100) / 100)
}

/** Marks from 0 beyond the slowest, in milliseconds 1, 2 or 5 times a power of ten apart, and the unit to write them in. */
export function timeAxis(values: readonly number[]): { ticks: number[]; unit: 's' | 'ms'; unitMs: number } {
  const slowest = Math.max(1, ...values)
  const power = 10 ** Math.floor(Math.log10(slowest / 4))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => slowest / each <= 5) ?? slowest
  const ticks = Array.from(
    { length: Math.floor(slowest / step) + 2 },
    (_, index) => Math.round(index * step * 1000) / 1000,
  )
  return slowest >= 1000 ? { ticks, unit: 's', unitMs: 1000 } : { ticks, unit: 'ms', unitMs: 1 }
}

/** Marks from 0 beyond the largest value, 1, 2 or 5 times a power of ten apart. */
export function countTicks(values: readonly number[]): number[] {
  const { ticks } = timeAxis(values)
  return ticks
}
