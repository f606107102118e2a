// This file states how large a difference is, in the words of its metric.
import type { PairComparison } from '../../../contract/evidence/statistics.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { capital, countWords, plural } from '../../../contract/words.ts'
import type { ComparedName } from '../aggregate/aggregate-access.ts'
import { nameWords, valueWords } from '../words.ts'
import type { Facts } from './facts.ts'

const isShare = (name: ComparedName): boolean => metricNamed(name)?.unit === 'score'

/** `14 percentage points` of a score from 0 to 1; other values in their unit. */
export function amountWords(name: ComparedName, size: number): string {
  if (!isShare(name)) return valueWords(name, size)
  const points = roundedAmount(name, size)
  return points === 0 ? 'less than 1 percentage point' : plural(points, 'percentage point')
}

/** An amount as it is written: a score in whole points. */
export const roundedAmount = (name: ComparedName, size: number): number =>
  isShare(name) ? Math.round(size * 100) : size

/** `10 points`, for a margin. */
export const marginWords = (name: ComparedName, size: number): string =>
  isShare(name) ? `${roundedAmount(name, size)} points` : valueWords(name, size)

/** Whole points; with a decimal where they would round to 0, which would look undecided. */
export function pointsWords(points: number): string {
  const text = Math.round(points) === 0 ? points.toFixed(1) : String(Math.round(points))
  return Number(text) === 0 ? '0' : text.replace('-', '−')
}

/** ` (95 % interval 14 to 30)`; nothing without an interval. */
function intervalClause({ name, compared }: Facts, { difference: { interval } }: PairComparison): string {
  if (interval === null) return ''
  const percent = Number((compared.settings.level * 100).toPrecision(4))
  const write = (value: number): string => (isShare(name) ? pointsWords(value * 100) : valueWords(name, value))
  return ` (${percent} % interval ${write(interval.low)} to ${write(interval.high)})`
}

/** `finds 22 percentage points more of the facts than hybrid-rag (95 % interval 14 to 30)`. */
export function aheadWords(facts: Facts, leader: string, other: string): string {
  const pair = facts.pair(leader, other)!
  const amount = amountWords(facts.name, Math.abs(pair.difference.value!))
  const ahead = metricNamed(facts.name)?.ahead?.(amount) ?? `is ${amount} better on ${nameWords(facts.name)}`
  return `${ahead} than ${other}${intervalClause(facts, pair)}`
}

/** A sentence of its own from a part of one. */
export const sentenceOf = (part: string): string => `${capital(part)}.`

/** `All 7 approaches`, `Both approaches`. */
export const allOf = (count: number): string =>
  count === 2 ? 'Both approaches' : `All ${countWords(count)} approaches`
