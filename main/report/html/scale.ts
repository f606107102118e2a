import type { ComparedName } from '../comparison-access.ts'
import { durationWords } from '../../../contract/index.ts'

/** Values of a metric → coordinates of a chart. */
export interface Scale {
  at: (value: number) => number
  ticks: readonly { value: number; label: string }[]
}

const linear = (from: number, to: number, start: number, end: number) => (value: number) =>
  start + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (end - start)

const steps = (values: readonly number[]): Scale['ticks'] =>
  values.map((value) => ({ value, label: String(value).replace('-', '−') }))

/** Durations read best on a scale where each step multiplies. */
function logScale(values: readonly number[], start: number, end: number): Scale {
  const positive = values.filter((value) => value > 0)
  const low = Math.log10(Math.min(...positive, Infinity))
  const high = Math.log10(Math.max(...positive, 0))
  const [from, to] = Number.isFinite(low) ? [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)] : [0, 1]
  const at = linear(from, to, start, end)
  const factors = to - from <= 2 ? [1, 2, 5] : [1]
  const ticks: { value: number; label: string }[] = []
  for (let power = from; power <= to; power += 1)
    for (const factor of power === to ? [1] : factors) {
      const value = factor * 10 ** power
      ticks.push({ value, label: tickDuration(value) })
    }
  return { at: (value) => at(Math.log10(Math.max(value, 10 ** from))), ticks }
}

const tickDuration = (milliseconds: number): string =>
  milliseconds >= 100_000
    ? durationWords(milliseconds)
    : milliseconds >= 1000
      ? `${milliseconds / 1000} s`
      : `${Number(milliseconds.toPrecision(1))} ms`

/** The scale of a metric, always the same for scores and grades, so that charts compare. `values` place the others. */
export function scaleOf(name: ComparedName, values: readonly number[], start: number, end: number): Scale {
  if (name === 'latency_ms') return logScale(values, start, end)
  if (name === 'score') return { at: linear(1, 5, start, end), ticks: steps([1, 2, 3, 4, 5]) }
  const lowest = Math.min(0, ...values)
  const from = lowest < 0 ? Math.max(-1, Math.floor(lowest * 2) / 2) : 0
  const ticks = [-1, -0.5, 0, 0.25, 0.5, 0.75, 1].filter((tick) => tick >= from)
  return { at: linear(from, 1, start, end), ticks: steps(ticks) }
}
