// The signs and words of states, decisions, values and intervals, the same in the terminal and in every report.
import {
  countWords,
  metricNamed,
  plural,
  sizeWordsOf,
  type ComparedMetric,
  type ConfidenceInterval,
  type MetricState,
  type PairDecision,
} from '../../contract/index.ts'
import * as words from '../../contract/words.ts'
import { MIN_CLUSTERS } from '../statistics/estimate.ts'
import type { ComparedName } from './aggregate-access.ts'

/** The same signs on every surface; never colour alone. */
export const STATE_SIGNS: Readonly<Record<MetricState, string>> = {
  ok: '●',
  partial: '◐',
  not_evaluable: '○',
  error: '▲',
  timeout: '⏱',
  disabled: '–',
  not_run: '✕',
}

export const STATE_WORDS: Readonly<Record<MetricState, string>> = {
  ok: 'ok',
  partial: 'partial',
  not_evaluable: 'not evaluable',
  error: 'error',
  timeout: 'timeout',
  disabled: 'disabled',
  not_run: 'not run',
}

/** Undecided is no evidence that two approaches are equal, and the word must not suggest it. */
export const DECISION_WORDS: Readonly<Record<PairDecision, string>> = {
  better: 'better',
  worse: 'worse',
  undecided: 'inconclusive',
}

export const DECISION_SIGNS: Readonly<Record<PairDecision, string>> = { better: '▲', worse: '▼', undecided: '·' }

/** `▲4 ▼1 ·3`: pairs in which an approach is better, worse, and open ones. */
export const standingWords = (standing: Readonly<Record<PairDecision, number>>): string =>
  (['better', 'worse', 'undecided'] as const).map((each) => `${DECISION_SIGNS[each]}${standing[each]}`).join(' ')

export const nameWords = (name: ComparedName): string => metricNamed(name)?.label ?? name

const sizeWords = (name: ComparedName): ((size: number) => string) => sizeWordsOf(metricNamed(name))

/** A value of a metric in its unit: 0.83, or 1.2 s. */
export const valueWords = (name: ComparedName, value: number): string =>
  metricNamed(name)?.unit === 'duration' && value < 0 ? signedWords(name, value) : sizeWords(name)(value)

/** A difference with its sign, in the metric's unit. */
export const signedWords = (name: ComparedName, value: number): string => words.signedWords(value, sizeWords(name))

/** `[0.77, 0.88]`; nothing for no interval. */
export const intervalWords = (name: ComparedName, interval: ConfidenceInterval | null): string =>
  interval === null ? '' : words.intervalWords(interval, (value) => valueWords(name, value))

/**
 * `3 of 10 pairs of approaches differ significantly (95 %, Holm-corrected) · smallest difference this run could see: 0.06–0.11`, how many pairs were out of its reach, or why nothing
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
  const decidedWords = words.decidedPairsWords(count, comparable, settings.level)
  if (detectable !== null) {
    const [from, to] = [valueWords(name, detectable.smallest), valueWords(name, detectable.largest)]
    const seen = `smallest difference this run could see: ${from === to ? from : `${from}–${to}`}`
    const needed =
      questions === undefined || questions === null
        ? []
        : [`about ${countWords(questions.median)} questions would show ${valueWords(name, questions.difference)}`]
    return [decidedWords, seen, ...needed, ...outOfReach(pairs)].join(' · ')
  }
  const clusters = Math.max(...pairs.map(({ difference }) => difference.clusters))
  if (clusters >= MIN_CLUSTERS) return [decidedWords, ...outOfReach(pairs)].join(' · ')
  const groups = plural(clusters, 'independent group')
  return `${decidedWords} · ${groups} of questions ${clusters === 1 ? 'is' : 'are'} too few for intervals (${MIN_CLUSTERS} are needed)`
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
