import {
  bytesWords,
  countWords,
  durationWords,
  meanWords,
  plural,
  pWords,
  rateWords,
  scoreWords,
  signedWords,
} from '../../contract/words.ts'
import type { Metric } from '../../contract/metrics/metric.ts'
import { METRIC_LABELS, METRICS, sizeWordsOf } from '../../contract/metrics/metrics.ts'

const NONE = '–'

// Pages write figures as the reports and the command line do.
export { bytesWords as bytes, countWords as count, meanWords, plural, pWords, rateWords, signedWords as signed }

/** A score with two digits after the point; a dash for none, which is never 0. */
export const score = (value: number | null | undefined): string =>
  typeof value === 'number' ? scoreWords(value) : NONE

/** A duration in milliseconds in words; a dash for none. */
export const duration = (ms: number | null | undefined): string =>
  typeof ms === 'number' && Number.isFinite(ms) ? durationWords(ms) : NONE

/** Day and time of day, as the system writes them; a dash for none. */
export const moment = (iso: string | null | undefined): string =>
  typeof iso === 'string' ? new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : NONE

/** A sentence with its ISO times as `moment` writes them. */
export const withMoments = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g, moment)

/** A metric's name for people. */
export const metricName = (metric: string): string =>
  (METRIC_LABELS as Readonly<Record<string, string>>)[metric] ?? metric.replaceAll('_', ' ')

/** A metric's name at the start of a heading: `Facts found`; names with capitals of their own, such as nDCG@10, stay. */
export const metricHeading = (metric: string): string => {
  const name = metricName(metric)
  return /^[a-z]+(?:[ @]|$)/.test(name) ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name
}

const metricOf = (id: string): Metric | undefined => METRICS.find((metric) => metric.id === id)

/** A difference in its metric's unit with its sign; a dash for none. */
export const differenceValue = (metric: string, value: number | null): string =>
  value === null ? NONE : signedWords(value, sizeWordsOf(metricOf(metric)))

/** A metric's value in its unit, without the unit where the head has it. */
export const metricValue = (metric: string, value: number | null): string =>
  metricOf(metric)?.unit === 'duration' ? duration(value) : score(value)
