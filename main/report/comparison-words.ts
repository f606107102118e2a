import {
  durationWords,
  METRIC_LABELS,
  type ComparedMetric,
  type ConfidenceInterval,
  type PairDecision,
} from '../../contract/index.ts'
import { MIN_CLUSTERS } from '../statistics/estimate.ts'
import type { ComparedName } from './comparison-access.ts'
import { countWords, plural, score } from './score-format.ts'

/** Undecided is no evidence that two approaches are equal, and must not sound like it. */
export const DECISION_WORDS: Readonly<Record<PairDecision, string>> = {
  better: 'better',
  worse: 'worse',
  undecided: 'open',
}

export const DECISION_SIGNS: Readonly<Record<PairDecision, string>> = { better: '▲', worse: '▼', undecided: '·' }

/** `▲4 ▼1 ·3`: pairs in which an approach is better, worse, and open ones. */
export const standingWords = (standing: Readonly<Record<PairDecision, number>>): string =>
  (['better', 'worse', 'undecided'] as const).map((each) => `${DECISION_SIGNS[each]}${standing[each]}`).join(' ')

export const nameWords = (name: ComparedName): string =>
  name === 'score' ? 'judge score' : name === 'latency_ms' ? 'latency' : METRIC_LABELS[name]

/** A value of a metric in its unit: 0.83, or 1.2 s. */
export const valueWords = (name: ComparedName, value: number): string =>
  name === 'latency_ms' && value >= 0
    ? durationWords(value)
    : name === 'latency_ms'
      ? signedWords(name, value)
      : score(value)

/** A difference with its sign: +0.12, −840 ms; ±0.00 for what rounds to nothing. */
export function signedWords(name: ComparedName, value: number): string {
  const size = Math.abs(value)
  const text = name === 'latency_ms' ? durationWords(size) : size.toFixed(2)
  return `${Number.parseFloat(text) === 0 ? '±' : value < 0 ? '−' : '+'}${text}`
}

/** `[0.77, 0.88]`; nothing for no interval. */
export const intervalWords = (name: ComparedName, interval: ConfidenceInterval | null): string =>
  interval === null ? '' : `[${valueWords(name, interval.low)}, ${valueWords(name, interval.high)}]`

/** A p-value as it is told: 0.03, 0.004, < 0.001. */
export const pWords = (p: number): string => (p < 0.001 ? '< 0.001' : p < 0.01 ? p.toFixed(3) : p.toFixed(2))

/**
 * `3 of 10 pairs are decided at 95 % (Holm) · smallest difference this run could see: 0.06–0.11`, how many pairs were out of its reach, or why nothing
 * could be decided.
 */
export function decidedLine({
  metric,
  settings,
  decided,
  pairs,
  smallest_detectable: detectable,
  questions_needed: questions,
}: ComparedMetric): string {
  const name = metric as ComparedName
  const { decided: count, comparable } = decided
  if (comparable === 0) return 'no two approaches share a scored question'
  const percent = `${Number((settings.level * 100).toPrecision(4))} %`
  const told = `${countWords(count)} of ${plural(comparable, 'pair')} ${comparable === 1 ? 'is' : 'are'} decided at ${percent} (Holm)`
  if (detectable !== null) {
    const [from, to] = [valueWords(name, detectable.smallest), valueWords(name, detectable.largest)]
    const seen = `smallest difference this run could see: ${from === to ? from : `${from}–${to}`}`
    const needed =
      questions === undefined || questions === null
        ? []
        : [`about ${countWords(questions.median)} questions would show ${valueWords(name, questions.difference)}`]
    return [told, seen, ...needed, ...outOfReach(pairs)].join(' · ')
  }
  const clusters = Math.max(...pairs.map(({ difference }) => difference.clusters))
  if (clusters >= MIN_CLUSTERS) return [told, ...outOfReach(pairs)].join(' · ')
  const groups = plural(clusters, 'independent group')
  return `${told} · ${groups} of questions ${clusters === 1 ? 'is' : 'are'} too few for intervals (${MIN_CLUSTERS} are needed)`
}

/** Pairs that differ in so few groups of questions that no outcome could have decided them. */
function outOfReach(pairs: ComparedMetric['pairs']): string[] {
  const count = pairs.filter(
    ({ p, decision, smallest_detectable }) => p !== null && decision === 'undecided' && smallest_detectable === null,
  ).length
  return count === 0
    ? []
    : [
        `${plural(count, 'pair')} ${count === 1 ? 'differs' : 'differ'} in too few groups of questions to be decided at all`,
      ]
}
