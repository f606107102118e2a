import { comparePairs } from '../compare-pairs.ts'
import { MIN_CLUSTERS } from '../estimate.ts'
import { shareOfNth } from '../planning/looks.ts'

/**
 * confirmed: better than the default on the holdout. worse: worse there. open: the holdout shows neither. too_few: its questions fall into too few groups for a test.
 */
export type Confirmation = 'confirmed' | 'worse' | 'open' | 'too_few'

export interface HoldoutScores {
  metric: string
  questions: readonly { id: string; cluster: string }[]
  /** Links between questions that were cut when clusters were made, per link that was kept. */
  cutPerKept: number
  /** In the order of the questions; NaN where there is no score. */
  winner: readonly number[]
  standard: readonly number[]
  /** Ends of the metric's scale. */
  range: readonly [low: number, high: number]
}

/** Holds the result: the winner minus the default, in the unit of the metric. */
export interface Confirmed {
  state: Confirmation
  /** Questions with a score of both. */
  questions: number
  clusters: number
  winner: number | null
  standard: number | null
  difference: number | null
  /** Interval of the difference at `level`; null where nothing was tested. */
  low: number | null
  high: number | null
  /** Two-sided, divided by the share of the error that this opening may spend. */
  p: number | null
  /** 1 − the error that this opening may spend. */
  level: number
}

const LEVEL = 0.95

/**
 * Compares the winner with the default on questions that no trial has seen: paired by question, over clusters, as a run's verdict does, at the error that is left for
 * this opening of the holdout (from 1). Over all openings of a holdout the chance of any false claim is at most 5 %.
 */
export function confirmWinner(scores: HoldoutScores, opening: number): Confirmed {
  const { metric, questions, cutPerKept, winner, standard, range } = scores
  const share = shareOfNth(opening)
  const both = questions.flatMap((question, at) =>
    Number.isNaN(winner[at]!) || Number.isNaN(standard[at]!) ? [] : [{ question, at }],
  )
  const clusters = new Set(both.map(({ question }) => question.cluster)).size
  const level = 1 - (1 - LEVEL) * share
  const mean = (values: readonly number[]): number | null =>
    both.length === 0 ? null : both.reduce((sum, { at }) => sum + values[at]!, 0) / both.length
  const shown = { questions: both.length, clusters, winner: mean(winner), standard: mean(standard), level }
  if (clusters < MIN_CLUSTERS) {
    const difference = both.length === 0 ? null : shown.winner! - shown.standard!
    return { state: 'too_few', ...shown, difference, low: null, high: null, p: null }
  }
  const pair = comparePairs(
    {
      metric,
      questions: both.map(({ question }) => question),
      cutPerKept,
      approaches: ['winner', 'default'],
      scores: Float64Array.from(both.flatMap(({ at }) => [winner[at]!, standard[at]!])),
      range,
    },
    { seed: 'tuning', alphaShare: share },
  ).pairs[0]!
  const { value, interval } = pair.difference
  const states = { better: 'confirmed', worse: 'worse', undecided: 'open' } as const
  return {
    state: states[pair.decision],
    ...shown,
    difference: value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p: pair.p,
  }
}
