// Axes as data: which values are marked, how a mark is written, and how far along the axis a value is.
import { durationWords } from '../contract/words.ts'

export interface Axis {
  name: string
  ticks: readonly { value: number; label: string }[]
  /** Returns how far along the axis a value is: 0 at its start, 1 at its end, and never outside. */
  share: (value: number) => number
}

const linear = (from: number, to: number) => (value: number) =>
  (Math.min(to, Math.max(from, value)) - from) / (to - from)

const spanning = (name: string, values: readonly number[], label = (value: number) => plain(value)): Axis => ({
  name,
  ticks: values.map((value) => ({ value, label: label(value) })),
  share: linear(values[0]!, values.at(-1)!),
})

/** With a true minus, and without the dust of binary fractions. */
const plain = (value: number): string => String(Math.round(value * 1000) / 1000).replace('-', '−')

/** The whole scale of a score, or of a grade, always the same so that charts compare. Scores below 0 lengthen it. */
export function wholeAxis(name: string, unit: 'score' | 'grade', values: readonly number[]): Axis {
  if (unit === 'grade') return spanning(name, [1, 2, 3, 4, 5])
  const lowest = Math.min(0, ...values)
  const from = lowest < 0 ? Math.max(-1, Math.floor(lowest * 2) / 2) : 0
  return spanning(
    name,
    [-1, -0.5, 0, 0.25, 0.5, 0.75, 1].filter((tick) => tick >= from),
  )
}

/** The part of a scale that holds all values, marks 0.05 or 0.1 apart, 0.5 for grades. It ends at 1 where no value is above. */
export function closeAxis(name: string, values: readonly number[]): Axis {
  if (values.length === 0) return spanning(name, [0, 1])
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const step = high > 1 ? 0.5 : high - low > 0.3 ? 0.1 : 0.05
  const first = Math.max(0, Math.floor(low / step - 0.2))
  const beyond = Math.ceil(high / step + 0.2)
  const last = high > 1 ? beyond : Math.min(beyond, Math.round(1 / step))
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Math.round((first + index) * step * 100) / 100)
  return spanning(name, ticks, (value) => value.toFixed(2))
}

/** From 0 beyond the largest value, marks 1, 2 or 5 times a power of ten apart. */
export function countAxis(name: string, values: readonly number[]): Axis {
  const most = Math.max(1, ...values)
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => most / each <= 5) ?? most
  const ticks = Array.from(
    { length: Math.floor(most / step) + 2 },
    (_, index) => Math.round(index * step * 1000) / 1000,
  )
  return spanning(name, ticks)
}

/** Durations of all sizes: each step multiplies. */
export function logTimeAxis(name: string, milliseconds: readonly number[]): Axis {
  const positive = milliseconds.filter((value) => value > 0)
  const from = positive.length === 0 ? 0 : Math.floor(Math.log10(Math.min(...positive)))
  const to = positive.length === 0 ? 1 : Math.max(Math.ceil(Math.log10(Math.max(...positive))), from + 1)
  const factors = to - from <= 2 ? [1, 2, 5] : [1]
  const values = Array.from({ length: to - from + 1 }, (_, step) => from + step).flatMap((power) =>
    (power === to ? [1] : factors).map((factor) => factor * 10 ** power),
  )
  const share = linear(from, to)
  return {
    name,
    ticks: values.map((value) => ({ value, label: durationMark(value) })),
    share: (value) => share(Math.log10(Math.max(value, 10 ** from))),
  }
}

const durationMark = (milliseconds: number): string =>
  milliseconds >= 100_000
    ? durationWords(milliseconds)
    : milliseconds >= 1000
      ? `${milliseconds / 1000} s`
      : `${Number(milliseconds.toPrecision(1))} ms`
