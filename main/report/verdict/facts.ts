// This file derives what the figures of a dataset run carry: who is compared, what each pair's test showed, and who is at the top. Sentences are made from this alone.
import type { Aggregate, ComparedMetric } from '../../../contract/evidence/aggregate.ts'
import { approachDescriptor, KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { pairState, type PairState } from '../../../core/evidence/pair-state.ts'
import type { PairComparison } from '../../../contract/evidence/statistics.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { comparedMetric, pairAgainst, type ComparedName } from '../aggregate/aggregate-access.ts'
import { comparableMean, isThin, rungFigure, sharedQuestions } from '../tables/leaderboard.ts'

export interface Standing {
  model: string
  /** Over the questions that all approaches have, where they have different ones. */
  mean: number
  /** Counts them, where they are not all of its own; its interval is of its own. */
  shared: number | null
}

export interface Facts {
  aggregate: Aggregate
  name: ComparedName
  compared: ComparedMetric
  /** Best first; approaches that are scored on few questions are left out. */
  standings: readonly Standing[]
  /** Models of `standings` that no test found worse than another one, best first. */
  top: readonly string[]
  /** The others. */
  worse: readonly string[]
  pair: (a: string, b: string) => PairComparison | null
  state: (a: string, b: string) => PairState
  /** Decided on this dataset alone, but not after the correction over all datasets of the run. */
  isOnlyHere: (a: string, b: string) => boolean
}

/** Describes what stays of a dataset's pairs over the pairs of all datasets of the run. */
export interface OverAll {
  isDecided: (a: string, b: string) => boolean
  isEquivalent: (a: string, b: string) => boolean
}

/**
 * Approaches that search by vectors alone, in a run with the keyword baseline whose vectors are hashed words. The order of the two says nothing about
 * vectors of a model: on data that nothing was written for, those found 13 and 39 points more of the gold documents than hashed words.
 */
export function unrankedApproaches({ approaches, reproducibility }: Aggregate): string[] {
  const embed = reproducibility?.runtime.models?.roles['embed']?.backend ?? ''
  if (!isRuleBased(embed) || !approaches.some(({ model }) => model === KEYWORD_BASELINE)) return []
  const byVectors = approaches.filter(({ base_model: base }) => approachDescriptor(base).searchesByVectors === true)
  return byVectors.map(({ model }) => model)
}

export function factsOf(aggregate: Aggregate, name: ComparedName, overAll: OverAll): Facts | null {
  const compared = comparedMetric(aggregate, name)
  if (compared === null) return null
  const pair = (a: string, b: string): PairComparison | null => pairAgainst(compared, a, b)
  const stateHere = (a: string, b: string): PairState => {
    const found = pair(a, b)
    return found === null ? 'not_tested' : pairState(found)
  }
  const isOnlyHere = (a: string, b: string): boolean =>
    ['better', 'worse'].includes(stateHere(a, b)) && !overAll.isDecided(a, b)
  const state = (a: string, b: string): PairState => {
    const here = stateHere(a, b)
    return isOnlyHere(a, b) || (here === 'equivalent' && !overAll.isEquivalent(a, b)) ? 'open' : here
  }
  const standings = standingsOf(aggregate, name)
  const models = standings.map(({ model }) => model)
  const isBeaten = (model: string): boolean => models.some((other) => state(other, model) === 'better')
  return {
    aggregate,
    name,
    compared,
    standings,
    top: models.filter((model) => !isBeaten(model)),
    worse: models.filter(isBeaten),
    pair,
    state,
    isOnlyHere,
  }
}

/** Approaches that compare, best first; equal ones in the order of the run. */
const standingsOf = (aggregate: Aggregate, name: ComparedName): Standing[] => {
  const unranked = unrankedApproaches(aggregate)
  return aggregate.approaches
    .flatMap(({ model }) => {
      if (unranked.includes(model)) return []
      const figure = rungFigure(aggregate, name, model)
      return figure === null || isThin(aggregate, name, figure)
        ? []
        : [{ model, mean: comparableMean(figure), shared: sharedQuestions(figure) }]
    })
    .sort((a, b) => (metricNamed(name)?.better === 'lower' ? a.mean - b.mean : b.mean - a.mean))
}

/** Every two models once. */
export const pairsAmong = (models: readonly string[]): [string, string][] =>
  models.flatMap((a, at) => models.slice(at + 1).map((b): [string, string] => [a, b]))

export function countStates(facts: Facts, models: readonly string[]) {
  const states = pairsAmong(models).map(([a, b]) => facts.state(a, b))
  const of = (...wanted: PairState[]): number => states.filter((state) => wanted.includes(state)).length
  return {
    pairs: states.length,
    decided: of('better', 'worse'),
    equivalent: of('equivalent'),
    open: of('open'),
    notTested: of('not_tested'),
  }
}

export const scoredQuestions = ({ compared }: Facts): number =>
  Math.max(0, ...compared.approaches.map(({ mean }) => mean.n))
