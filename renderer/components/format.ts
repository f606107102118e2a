import { durationWords } from '../../contract/duration-words.ts'
import { METRIC_LABELS } from '../../contract/evidence/metric-names.ts'

const THIN_SPACE = '\u2009'
const NONE = '–'

/** A count with thin spaces between thousands. */
export const count = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE)

/** A score with two digits after the point; a dash for none, which is never 0. */
export const score = (value: number | null | undefined): string => (typeof value === 'number' ? value.toFixed(2) : NONE)

/** A difference with its sign; a true minus. */
export function signed(value: number): string {
  const digits = Math.abs(value).toFixed(2)
  return digits === '0.00' ? digits : `${value > 0 ? '+' : '−'}${digits}`
}

/** A duration in milliseconds in words; a dash for none. */
export const duration = (ms: number | null | undefined): string =>
  typeof ms === 'number' && Number.isFinite(ms) ? durationWords(ms) : NONE

/** Bytes in decimal units. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`
  return `${(value / 1_000_000_000).toFixed(2)} GB`
}

/** Day and time of day, as the system writes them; a dash for none. */
export const moment = (iso: string | null | undefined): string =>
  typeof iso === 'string' ? new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : NONE

/** A sentence with its ISO times as `moment` writes them. */
export const withMoments = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g, moment)

/** A count with its noun: 1 cell, 3 cells; `many` where the plural has another form. */
export const plural = (value: number, noun: string, many = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : many}`

/** A metric's name for people. */
export const metricName = (metric: string): string =>
  (METRIC_LABELS as Readonly<Record<string, string>>)[metric] ?? metric.replaceAll('_', ' ')

/** A difference in its metric's unit with its sign; a dash for none. */
export const differenceValue = (metric: string, value: number | null): string =>
  value === null
    ? NONE
    : metric !== 'latency_ms'
      ? signed(value)
      : value === 0
        ? duration(0)
        : `${value < 0 ? '−' : '+'}${duration(Math.abs(value))}`

/** A metric's value in its unit, without the unit where the head has it. */
export const metricValue = (metric: string, value: number | null): string =>
  metric === 'latency_ms' ? duration(value) : score(value)
