// The outcome of a dataset run: its kind, a headline of at most 14 words, why, what to take, and what to do next.
import { ContextTokens } from '../../../contract/evidence/context-budget.ts'
import type { ApproachBehaviour, NextStep, VerdictKind } from '../../../contract/evidence/verdict.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { countWords, listWords, plural } from '../../../contract/words.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import { intervalWords, nameWords, valueWords } from '../words.ts'
import { allTextOf, allTextWords } from './all-text.ts'
import { aheadWords, allOf, amountWords, marginWords } from './amounts.ts'
import { choiceAmong, marginOf, takeCheapest, testWords, type Choice } from './choice.ts'
import { countStates, pairsAmong, scoredQuestions, type Facts } from './facts.ts'
import { addGroups, nextStep, separateFurther } from './next-step.ts'
import { costWords, takeWords } from './recommendation.ts'

export interface Outcome {
  kind: VerdictKind
  /** In the order of the recommendation. */
  top: string[]
  worse: string[]
  headline: string
  why: string
  recommendation: string | null
  next: NextStep
}

/** Headlines are read at a glance. */
export const MOST_WORDS = 14
export const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

export function outcomeOf(facts: Facts, behaviour: readonly ApproachBehaviour[]): Outcome {
  const { standings, top, worse } = facts
  const models = standings.map(({ model }) => model)
  const choice = choiceAmong(facts, top)
  const parts = { facts, behaviour, models, choice, ordered: [...new Set([...choice.near, ...choice.all])] }
  const [best, least] = extremesOf(facts)
  if (best !== null && standings.every(({ mean }) => mean === best)) return ceiling(parts)
  if (least !== null && standings.every(({ mean }) => mean === least)) return floor(parts)
  const states = countStates(facts, models)
  if (states.notTested === states.pairs) return untested(parts)
  const [leader] = top
  if (top.length === 1 && worse.every((model) => facts.state(leader!, model) === 'better')) return winner(parts)
  if (worse.length > 0) return tied(parts)
  return states.equivalent === states.pairs ? equivalent(parts) : open(parts)
}

interface Parts {
  facts: Facts
  behaviour: readonly ApproachBehaviour[]
  /** Best first. */
  models: readonly string[]
  choice: Choice
  /** The top in the order of the recommendation. */
  ordered: string[]
}

function extremesOf({ name }: Facts): [best: number | null, least: number | null] {
  const metric = metricNamed(name)
  const [low, high] = metric?.range ?? [null, null]
  return metric?.better === 'lower' ? [low, high] : [high, low]
}

const behaviourIn = (behaviour: readonly ApproachBehaviour[], model: string): ApproachBehaviour =>
  behaviour.find((each) => each.model === model)!

/** The names of a headline, as many as it has room for; the others are counted. */
export function namesIn(names: readonly string[], room = 6): string {
  if (names.length <= room) return listWords(names)
  return `${names.slice(0, room - 1).join(', ')} and ${names.length - room + 1} others`
}

const questionsIn = (facts: Facts): string => plural(scoredQuestions(facts), 'scored question')

/** All approaches have the best possible figure: the questions are too easy, or all the text fits into the context budget. */
function ceiling(parts: Parts): Outcome {
  const { facts, ordered: top } = parts
  const { aggregate, name } = facts
  const all = allTextOf(facts)
  const cause =
    all === null
      ? {
          why: ', so these questions cannot separate them.',
          next: nextStep(aggregate, 'add_questions', `To separate them, add harder questions${groupsMissing(facts)}.`),
        }
      : {
          why: `. ${allTextWords(all)}, so this run cannot separate them.`,
          next: nextStep(
            aggregate,
            'new_run',
            ContextTokens.safeParse(Math.floor(all.tokens / 2)).success
              ? `To separate them, run again with a context budget well below ${countWords(all.tokens)} tokens, or add documents.`
              : 'To separate them, add documents.',
          ),
        }
  return {
    kind: 'ceiling',
    top,
    worse: [],
    headline: metricNamed(name)?.extremes?.best ?? `Every approach has the best possible ${nameWords(name)}`,
    why: `${sameFigure(parts)}${cause.why}`,
    recommendation: takeCheapest(parts),
    next: cause.next,
  }
}

function floor(parts: Parts): Outcome {
  const { facts, behaviour, ordered: top } = parts
  const { aggregate, name } = facts
  return {
    kind: 'floor',
    top,
    worse: [],
    headline: metricNamed(name)?.extremes?.worst ?? `Every approach has the worst possible ${nameWords(name)}`,
    why: `${sameFigure(parts)}, so these questions cannot separate them.`,
    recommendation: `Take none yet; the cheapest is ${top[0]!}: ${costWords(behaviourIn(behaviour, top[0]!))}.`,
    next: nextStep(
      aggregate,
      'check_dataset',
      'Check that the documents hold the gold facts and that retrieval returned passages.',
    ),
  }
}

/** `All 7 approaches have 1.00 on facts found in 98 scored questions`. */
const sameFigure = ({ facts, models }: Parts): string =>
  `${allOf(models.length)} have ${valueWords(facts.name, facts.standings[0]!.mean)} on ${nameWords(facts.name)} in ${questionsIn(facts)}`

const groupsOf = ({ compared }: Facts): number =>
  Math.max(0, ...compared.pairs.map(({ difference }) => difference.clusters))

function groupsMissing(facts: Facts): string {
  const missing = MIN_CLUSTERS - groupsOf(facts)
  return missing <= 0
    ? ''
    : `, in ${missing} more ${missing === 1 ? 'group' : 'groups'} that share no gold document with the others`
}

function untested({ facts, behaviour, models, choice: { all } }: Parts): Outcome {
  const { aggregate, name, standings } = facts
  const groups = groupsOf(facts)
  const isFew = groups < MIN_CLUSTERS
  const [highest] = standings
  const lowest = standings.at(-1)!
  const figures =
    highest!.mean === lowest.mean
      ? `all have ${valueWords(name, lowest.mean)}`
      : `means from ${valueWords(name, lowest.mean)} (${lowest.model}) to ${valueWords(name, highest!.mean)} (${highest!.model})`
  return {
    kind: 'too_few',
    top: [],
    worse: [],
    headline: `Too few questions to test: ${questionsIn(facts)}`,
    why: isFew
      ? `The questions fall into ${plural(groups, 'independent group')} and a test needs ${MIN_CLUSTERS} (questions that share a gold document are one group); not tested: ${figures} on ${nameWords(name)}.`
      : `No pair of approaches has an interval, because no difference varies between the questions; not tested: ${figures} on ${nameWords(name)}.`,
    recommendation: `Take none on these figures; the cheapest of ${countWords(models.length)} is ${all[0]!}: ${costWords(behaviourIn(behaviour, all[0]!))}.`,
    next: isFew ? addGroups(aggregate, groups) : separateFurther(facts),
  }
}

function winner({ facts, behaviour, models }: Parts): Outcome {
  const { aggregate } = facts
  const [leader, next, ...rest] = models
  const others = rest.length === 0 ? '' : `, the next best, and is better than ${namesIn(rest, 3)} too`
  return {
    kind: 'winner',
    top: [leader!],
    worse: models.slice(1),
    headline: `${leader!} leads`,
    why: `On ${questionsIn(facts)} it ${aheadWords(facts, leader!, next!)}${others}${correctionWords(facts)}.`,
    recommendation: takeWords(behaviourIn(behaviour, leader!), behaviourIn(behaviour, next!)),
    next: nextStep(aggregate, 'read_differences', 'Read the questions on which they differ most.'),
  }
}

const correctionWords = ({ compared }: Facts): string =>
  compared.pairs.length > 1 ? `; corrected for ${plural(compared.pairs.length, 'pair')}` : ''

function tied(parts: Parts): Outcome {
  const { facts, ordered: top } = parts
  const { worse, state } = facts
  const isClean = top.every((model) => worse.every((other) => state(model, other) === 'better'))
  return {
    kind: 'tied',
    top,
    worse: [...worse],
    headline:
      top.length === 1
        ? `${top[0]!} leads, but not against every approach`
        : isClean
          ? `${namesIn(top)} lead together`
          : `Top group: ${namesIn(top)}`,
    why: `On ${questionsIn(facts)}, ${isClean ? cleanWords(facts) : mixedWords(facts)}; ${amongWords(facts, top)}.`,
    recommendation: takeCheapest(parts),
    next: isSettled(facts, top) ? chooseByCost(facts) : separateFurther(facts),
  }
}

/** True where tests bound every difference among approaches by the margin: more questions of the same plan would show nothing else. */
function isSettled(facts: Facts, models: readonly string[]): boolean {
  const { pairs, equivalent: same } = countStates(facts, models)
  return pairs === same
}

const chooseByCost = ({ aggregate }: Facts): NextStep =>
  nextStep(
    aggregate,
    'read_differences',
    'Choose by cost, time and behaviour; read the questions on which they still differ.',
  )

/** `they are better than vanilla-rag and hybrid-rag, by 15 to 24 percentage points`. */
function cleanWords({ top, worse, pair, name }: Facts): string {
  const sizes = top.flatMap((model) => worse.map((other) => Math.abs(pair(model, other)!.difference.value!)))
  const [least, most] = [amountWords(name, Math.min(...sizes)), amountWords(name, Math.max(...sizes))]
  const range = least === most ? least : `${least.replace(/ percentage points?$/, '')} to ${most}`
  return `each of them is better than ${namesIn(worse)}, by ${range}`
}

/** Every approach below the top with the one that is best against it, and how many further pairs stay open. */
function mixedWords(facts: Facts): string {
  const { top, worse, standings, state } = facts
  const models = standings.map(({ model }) => model)
  const betterThan = (model: string): string => models.find((other) => state(other, model) === 'better')!
  const shown = [...Map.groupBy(worse, betterThan)]
    .slice(0, 3)
    .map(([model, beaten]) => `${model} is better than ${namesIn(beaten, 4)}`)
  const across = top.flatMap((model) =>
    worse.filter((other) => state(model, other) !== 'better').map((other) => ({ model, other })),
  )
  const [first] = across
  const rest =
    across.length === 1
      ? `the test of ${first!.model} against ${first!.other} leaves it open which is better`
      : `${across.length} of ${top.length * worse.length} pairs of a top approach and a lower one are not decided`
  return `${listWords(shown)}; ${rest}`
}

/** `10 points`: the margin of equivalence. */
const withinWords = (facts: Facts): string => marginWords(facts.name, marginOf(facts))

/** Returns what the tests showed among approaches. */
function amongWords(facts: Facts, models: readonly string[]): string {
  const { equivalent: same, open: left, notTested, pairs } = countStates(facts, models)
  if (pairs === 0) return 'no other approach shares the top'
  const within = withinWords(facts)
  if (same === pairs) return `among them no difference is larger than ${within} (tested)`
  const isOne = pairs === 1
  if (left === pairs)
    return isOne ? 'the difference between them is open' : `all ${countWords(pairs)} pairs among them are open`
  const parts = [
    ...(same === 0 ? [] : [`${countWords(same)} equivalent within ${within}`]),
    ...(left === 0 ? [] : [`${countWords(left)} open`]),
    ...(notTested === 0 ? [] : [`${countWords(notTested)} not tested`]),
  ]
  return `of the ${plural(pairs, 'pair')} among them, ${listWords(parts)}`
}

function equivalent(parts: Parts): Outcome {
  const { facts, models } = parts
  const margin = withinWords(facts)
  return {
    kind: 'equivalent',
    top: parts.ordered,
    worse: [],
    headline: `${allOf(models.length)} are equivalent within ${margin}`,
    why: `On ${questionsIn(facts)}, tests of equivalence bound ${models.length === 2 ? 'the difference' : `each of the ${countWords(pairsAmong(models).length)} differences`} in ${nameWords(facts.name)} by ${margin}; ${figuresWords(facts)}.`,
    recommendation: takeCheapest(parts),
    next: chooseByCost(facts),
  }
}

function open(parts: Parts): Outcome {
  const { facts, models } = parts
  const { pairs, equivalent: same, open: left, notTested } = countStates(facts, models)
  const counts = [
    ...(same === 0 ? [] : [`${same} ${same === 1 ? 'pair is' : 'pairs are'} equivalent`]),
    ...(left === 0 ? [] : [`${left} ${left === 1 ? 'is' : 'are'} open`]),
    ...(notTested === 0 ? [] : [`${notTested} not tested`]),
  ]
  return {
    kind: 'open',
    top: parts.ordered,
    worse: [],
    headline:
      left === pairs
        ? `No approach leads: ${pairs === 1 ? 'the difference is open' : `all ${pairs} pairs are open`}`
        : `No approach leads: ${counts.join(', ')}`,
    why: `On ${questionsIn(facts)}, ${figuresWords(facts)}${leadWords(facts)}.`,
    recommendation: takeCheapest(parts),
    next: separateFurther(facts),
  }
}

/** `agentic-rag is highest on facts found, 0.67 [0.50, 0.80]`; where failed answers leave approaches different questions, of which ones the mean is. */
function figuresWords({ name, standings, compared }: Facts): string {
  const [first] = standings
  const highest = standings.filter(({ mean }) => mean === first!.mean).map(({ model }) => model)
  const value = valueWords(name, first!.mean)
  if (highest.length === standings.length) return `all have ${value} on ${nameWords(name)}`
  const interval = compared.approaches.find(({ model }) => model === first!.model)?.mean.interval ?? null
  const of =
    first!.shared === null
      ? intervalWords(name, interval)
      : `on the ${countWords(first!.shared)} that every approach has`
  return `${namesIn(highest)} ${highest.length === 1 ? 'is' : 'are'} highest on ${nameWords(name)}, ${`${value} ${of}`.trimEnd()}`
}

/** Returns how far the first two are apart, as the test left it; nothing where both are named as highest with one mean. */
function leadWords(facts: Facts): string {
  const [first, second] = facts.standings.map(({ model }) => model)
  const pair = facts.pair(first!, second!)
  if (pair === null || pair.difference.value === null) return '; the first two share no question'
  if (pair.difference.value === 0) return ''
  return `; it ${aheadWords(facts, first!, second!)}, ${testWords(facts, first!, second!)}`
}
