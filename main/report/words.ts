// The signs and words of states, decisions, values and intervals, the same in the terminal and in every report.
import type { ComparedMetric, MetricState } from '../../contract/evidence/aggregate.ts'
import { pairCounts, type PairState } from '../../core/evidence/pair-state.ts'
import { isTestedPair, type ConfidenceInterval, type PairDecision } from '../../contract/evidence/statistics.ts'
import { metricNamed, sizeWordsOf } from '../../contract/metrics/metrics.ts'
import { plural } from '../../contract/words.ts'
import * as words from '../../contract/words.ts'
import { MIN_CLUSTERS } from '../statistics/estimate.ts'
import type { ComparedName } from './aggregate/aggregate-access.ts'

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
  not_run: 'not scored',
}

/** Equivalent and open need a test; without one the word is that there was none. */
export const PAIR_WORDS: Readonly<Record<PairState, string>> = {
  better: 'better',
  worse: 'worse',
  equivalent: 'equivalent',
  open: 'open',
  not_tested: 'not tested',
}

export const PAIR_SIGNS: Readonly<Record<PairState, string>> = {
  better: '▲',
  worse: '▼',
  equivalent: '≈',
  open: '·',
  not_tested: STATE_SIGNS.disabled,
}

/** `▲4 ▼1 ·3`: tested pairs in which an approach is better, worse, and the others. */
export const standingWords = ({ better, worse, undecided }: Readonly<Record<PairDecision, number>>): string =>
  `${PAIR_SIGNS.better}${better} ${PAIR_SIGNS.worse}${worse} ${PAIR_SIGNS.open}${undecided}`

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
 * `3 of 10 tested pairs are decided, 7 open (95 %, Holm-corrected) · smallest difference this run could see: 0.06–0.11`, how many pairs were out of its reach, or why
 * no pair was tested.
 */
export function decidedLine(compared: ComparedMetric): string {
  const { metric, settings, decided, pairs, smallest_detectable: detectable } = compared
  const name = metric as ComparedName
  if (decided.comparable === 0) return 'no two approaches share a scored question'
  const decidedWords = words.testedPairsWords(pairCounts(compared), settings.level)
  if (detectable !== null) {
    const [from, to] = [valueWords(name, detectable.smallest), valueWords(name, detectable.largest)]
    const seen = `smallest difference this run could see: ${from === to ? from : `${from}–${to}`}`
    return [decidedWords, seen, ...outOfReach(pairs)].join(' · ')
  }
  const clusters = Math.max(...pairs.map(({ difference }) => difference.clusters))
  if (clusters >= MIN_CLUSTERS) return [decidedWords, ...outOfReach(pairs)].join(' · ')
  const groups = plural(clusters, 'independent group')
  return `${decidedWords}: ${groups} of questions ${clusters === 1 ? 'is' : 'are'} too few for a test (${MIN_CLUSTERS} are needed)`
}

/** Pairs that differ in so few groups of questions that no outcome could have decided them. */
function outOfReach(pairs: ComparedMetric['pairs']): string[] {
  const count = pairs.filter(
    (pair) => isTestedPair(pair) && pair.decision === 'undecided' && pair.smallest_detectable === null,
  ).length
  return count === 0
    ? []
    : [
        `${plural(count, 'pair')} ${count === 1 ? 'differs' : 'differ'} in too few groups of questions to be decided at all`,
      ]
}
