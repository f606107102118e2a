// Which approach a verdict takes of those that no test found worse than another. Open is not equal: the cheapest is taken of those whose mean is within the margin of equivalence of the
// highest, and a difference that the choice gives away, or that keeps a cheaper approach from being taken, is named with its interval. Decision 176.
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { countWords, lowerFirst } from '../../../contract/words.ts'
import { EQUIVALENCE_MARGIN } from '../../statistics/equivalence.ts'
import { likeAmounts } from '../aggregate/context-amounts.ts'
import { aheadWords, marginWords, roundedAmount } from './amounts.ts'
import type { Facts } from './facts.ts'
import { byCost, cheapness, takeWords } from './recommendation.ts'

export interface Choice {
  /** Within the margin of the highest mean, in the order of the recommendation. */
  near: string[]
  /** All of them by cost alone. */
  all: string[]
}

/** Expects models best first. */
export function choiceAmong(facts: Facts, models: readonly string[]): Choice {
  const ordered = (some: readonly string[]): string[] => byCost(costsOf(facts, some))
  return { near: ordered(models.filter((model) => isNear(facts, models[0]!, model))), all: ordered(models) }
}

const costsOf = ({ aggregate }: Facts, models: readonly string[]) =>
  models.map((model) => aggregate.approaches.find((each) => each.model === model)!)

/** Measures how far a model is behind the highest on shared questions; null where there are none. */
function behind({ name, pair }: Facts, highest: string, model: string): number | null {
  const value = highest === model ? 0 : (pair(highest, model)?.difference.value ?? null)
  return value === null || metricNamed(name)?.better !== 'lower' ? value : -value
}

/** By the amounts that the sentences show: none of 10.3 points is named as 10 and left out of 10. */
function isNear(facts: Facts, highest: string, model: string): boolean {
  const value = behind(facts, highest, model)
  return value !== null && roundedAmount(facts.name, value) <= roundedAmount(facts.name, marginOf(facts))
}

/** The margin that equivalence was tested with, or would have been. */
export function marginOf({ aggregate, compared, name }: Facts): number {
  const tested = compared.pairs.find(({ equivalence }) => (equivalence ?? null) !== null)?.equivalence
  const [least, greatest] = metricNamed(name)?.range ?? [0, null]
  const scale = greatest === null ? 0 : greatest - least
  return tested?.margin ?? (aggregate.equivalence_margin ?? EQUIVALENCE_MARGIN) * scale
}

interface Taking {
  facts: Facts
  choice: Choice
  behaviour: readonly ApproachBehaviour[]
}

/** `Of the 3 approaches within 10 points of the highest, take hybrid-rag, the cheapest of them: …`, with the differences that the choice rests on. */
export function takeCheapest({ facts, choice: { near, all }, behaviour }: Taking): string {
  const [highest, taken, cheapest] = [facts.top[0]!, near[0]!, all[0]!]
  const isSame = behind(facts, highest, taken)! <= 0
  const isPlain = taken === cheapest && (isSame || facts.state(highest, taken) === 'equivalent')
  const among = isPlain ? all : near
  const other = facts.top.find((model) => among.includes(model) && model !== taken) ?? cheapest
  const of = (model: string): ApproachBehaviour => behaviour.find((each) => each.model === model)!
  const take = takeWords(of(taken), other === taken ? undefined : of(other), cheapness(costsOf(facts, among)))
  const margin = marginWords(facts.name, marginOf(facts))
  return [
    isPlain || near.length === 1
      ? take
      : `Of the ${countWords(near.length)} approaches within ${margin} of the highest, ${lowerFirst(take)}`,
    ...(isSame ? [] : [`${leadOver(facts, taken)}.`]),
    ...(taken === cheapest ? [] : [`By cost alone it would be ${cheapest}, but ${leadOver(facts, cheapest)}.`]),
    ...(isPlain ? [] : ['More questions can change this choice.']),
  ].join(' ')
}

/** `hybrid-rag finds 25 percentage points more of the facts than bm25 (95 % interval −13 to 55), which the test leaves open`, of the highest. */
function leadOver(facts: Facts, model: string): string {
  const highest = facts.top[0]!
  if (behind(facts, highest, model) === null) return `it shares no question with ${highest}`
  const { medians, isLike } = likeAmounts(facts.aggregate)
  const tokens = (of: string): string => countWords(medians.get(of)!)
  const amounts =
    isLike(highest, model) === false ? `, with ${tokens(highest)} tokens of text against ${tokens(model)}` : ''
  return `${highest} ${aheadWords(facts, highest, model)}, ${testWords(facts, highest, model)}${amounts}`
}

/** Returns how a test left a difference that it did not decide. */
export function testWords({ pair, state }: Facts, a: string, b: string): string {
  const found = state(a, b)
  if (found === 'equivalent') return 'and the test finds them equivalent'
  if (found === 'not_tested') return 'which is not tested'
  const { low, high } = pair(a, b)!.difference.interval!
  return `which the test leaves open${low > 0 || high < 0 ? ' after the correction for all pairs' : ''}`
}
