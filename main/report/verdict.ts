// What a run decides, in sentences that mean the same in the terminal, in Markdown, in HTML and in JSON. Everything rests on the primary metric and
// on pairs of approaches over the questions that both have; `decided` is what Holm's correction over the pairs of a rung, or of all rungs, leaves.
import {
  metricNamed,
  type Aggregate,
  type ComparedMetric,
  type PairComparison,
  type ReadVerdict,
  type Verdict,
  type VerdictKind,
} from '../../contract/index.ts'
import { countWords, plural } from '../../contract/words.ts'
import { MIN_CLUSTERS } from '../statistics/estimate.ts'
import { baselineOf, comparedMetric, pairAgainst, type ComparedName } from './aggregate-access.ts'
import { comparableMean, isThin, rungFigure } from './leaderboard.ts'
import { ladderDecisions, noPrimaryReason, primaryMetric, REPORTED_PASSAGES } from './metric-use.ts'
import { intervalWords, nameWords, valueWords } from './words.ts'

/** One verdict per dataset run, in the given order. With several, a pair must be decided on its rung and over the pairs of all rungs. */
export const verdictsOf = (aggregates: readonly Aggregate[]): Verdict[] =>
  readVerdictsOf(aggregates).map(({ headline: _, questions: __, details: ___, ...verdict }) => verdict)

/** The same verdicts for a page, which shows the first statement of each before the rest. */
export function readVerdictsOf(aggregates: readonly Aggregate[]): ReadVerdict[] {
  const name = primaryMetric(aggregates)
  if (aggregates.length < 2) return aggregates.map((aggregate) => verdictOf(aggregate, name, () => true))
  const overAll = ladderDecisions(aggregates)
  return aggregates.map((aggregate) => {
    const own = overAll.filter((each) => each.aggregate === aggregate)
    return verdictOf(aggregate, name, (x, y) => own.some(({ a, b }) => (a === x && b === y) || (a === y && b === x)))
  })
}

interface Standing {
  model: string
  /** Over the questions that all approaches have, where they have different ones. */
  mean: number
}

function verdictOf(
  aggregate: Aggregate,
  name: ComparedName | null,
  isDecided: (a: string, b: string) => boolean,
): ReadVerdict {
  const { dataset } = aggregate
  const head = { dataset: dataset.id, label: dataset.label, metric: name }
  const compared = name === null ? null : comparedMetric(aggregate, name)
  const reason = reasonNothingCompares(aggregate, compared)
  if (name === null || compared === null || reason !== null) {
    const why = reason ?? noPrimaryReason([aggregate])
    return {
      ...head,
      kind: 'not_comparable',
      highest: [],
      better_than: [],
      open_with: [],
      sentences: [`Nothing is decided on ${dataset.label}: ${why}.`],
      headline: 'Nothing is decided',
      questions: null,
      details: [sentenceOf(why)],
    }
  }
  const standings = standingsOf(aggregate, name)
  const top = standings[0]!
  const highest = standings.filter(({ mean }) => mean === top.mean).map(({ model }) => model)
  const others = standings.slice(1)
  const pairOf = (other: string): PairComparison | null => {
    const pair = pairAgainst(compared, top.model, other)
    return pair === null || pair.decision === 'undecided' || isDecided(top.model, other)
      ? pair
      : { ...pair, decision: 'undecided' }
  }
  const better = others.filter(({ model }) => pairOf(model)?.decision === 'better').map(({ model }) => model)
  const open = others.filter(({ model }) => !better.includes(model)).map(({ model }) => model)
  const decided = compared.pairs.filter(({ a, b, decision }) => decision !== 'undecided' && isDecided(a, b))
  const kind =
    better.length > 0 ? (open.length === 0 ? 'winner' : 'ahead') : decided.length > 0 ? 'others' : 'undecided'
  const facts: Facts = { aggregate, name, compared, standings, highest, better, open, decided, pairOf }
  const { headline, sentence, conditions = null, rest } = STATEMENTS[kind](facts)
  const further = [...rest, ...leftOutSentences(aggregate, name)]
  return {
    ...head,
    kind,
    highest,
    better_than: better,
    open_with: open,
    sentences: [sentence, ...further],
    headline,
    questions: scoredWords(facts),
    details: conditions === null ? further : [conditions, ...further],
  }
}

/** A sentence of its own from the second half of one. */
const sentenceOf = (half: string): string => `${half.charAt(0).toUpperCase()}${half.slice(1)}.`

interface Facts {
  aggregate: Aggregate
  name: ComparedName
  compared: ComparedMetric
  /** Best first. */
  standings: Standing[]
  highest: string[]
  better: string[]
  open: string[]
  decided: PairComparison[]
  /** The highest approach against another one. */
  pairOf: (other: string) => PairComparison | null
}

function reasonNothingCompares({ approaches, comparisons }: Aggregate, compared: ComparedMetric | null): string | null {
  if (approaches.length === 1) return `only ${approaches[0]!.model} was run, so there is nothing to compare it with`
  if (comparisons === null) return 'no answer has been compared yet'
  if (compared === null) return null
  if (compared.decided.comparable === 0) return 'no two approaches share a scored question'
  const groups = Math.max(...compared.pairs.map(({ difference }) => difference.clusters))
  return groups >= MIN_CLUSTERS
    ? null
    : `its questions fall into ${plural(groups, 'independent group')} and intervals need ${MIN_CLUSTERS} (questions that share a gold document count as one group)`
}

/** Approaches that compare, best first; equal ones in the order of the run. */
const standingsOf = (aggregate: Aggregate, name: ComparedName): Standing[] =>
  aggregate.approaches
    .flatMap(({ model }) => {
      const figure = rungFigure(aggregate, name, model)
      return figure === null || isThin(aggregate, name, figure) ? [] : [{ model, mean: comparableMean(figure) }]
    })
    .sort((a, b) => (metricNamed(name)?.better === 'lower' ? a.mean - b.mean : b.mean - a.mean))

interface Statement {
  /** The first statement without what it rests on. */
  headline: string
  /** The same in a sentence of its own, with the dataset and what it rests on. */
  sentence: string
  /** What of that the headline leaves out, besides dataset and questions. */
  conditions?: string | null
  /** Further sentences. */
  rest: string[]
}

const STATEMENTS: Readonly<Record<Exclude<VerdictKind, 'not_comparable'>, (facts: Facts) => Statement>> = {
  winner: (facts) => {
    const { better, standings } = facts
    const isOne = better.length === 1
    return {
      ...aheadOf(facts, standings[1]!.model, isOne ? '' : ', the next best'),
      rest: isOne ? [] : ['It is decidedly better than every other approach.'],
    }
  },
  ahead: (facts) => {
    const { aggregate, better, standings } = facts
    const baseline = baselineOf(aggregate)?.model
    const reference = better.find((model) => model === baseline) ?? better[0]!
    const others = better.filter((model) => model !== reference)
    return {
      ...aheadOf(facts, reference),
      rest: [
        ...(others.length === 0 ? [] : [`It is also decidedly better than ${listed(others)}.`]),
        openSentence(facts, standings[0]!.model),
      ],
    }
  },
  others: (facts) => {
    const highest = highestSentence(facts)
    const pairs = facts.decided.map(({ a, b, decision }) =>
      decision === 'better' ? `${a} is better than ${b}` : `${b} is better than ${a}`,
    )
    return {
      headline: 'No approach is decidedly the best',
      sentence: `${place(facts)} no approach is decidedly the best. ${highest}`,
      conditions: highest,
      rest: [`Decided: ${listed(pairs)}.`],
    }
  },
  undecided: (facts) => {
    const { aggregate, standings, name } = facts
    const count =
      standings.length === 2 ? 'the two approaches' : `any two of the ${countWords(standings.length)} approaches`
    const why = `${nameWords(name)} does not distinguish ${count}`
    return {
      headline: `Nothing is decided: ${why}`,
      sentence: `Nothing is decided on ${aggregate.dataset.label} (${scoredWords(facts)}): ${why}.`,
      rest: [highestSentence(facts)],
    }
  },
}

const place = (facts: Facts): string => `On ${facts.aggregate.dataset.label} (${scoredWords(facts)})`

const scoredWords = ({ compared }: Facts): string =>
  plural(Math.max(...compared.approaches.map(({ mean }) => mean.n)), 'scored question')

/** `agentic-rag covers 14 percentage points more … than hybrid-rag (95 % interval 6 to 22)`, and `, at 1.3 × the time` for it. */
function aheadOf(facts: Facts, other: string, apposition = ''): Omit<Statement, 'rest'> {
  const { aggregate, standings, name } = facts
  const leader = standings[0]!.model
  const pair = facts.pairOf(other)!
  const amount = amountWords(name, Math.abs(pair.difference.value!))
  const ahead = metricNamed(name)?.ahead?.(amount) ?? `is ${amount} better on ${nameWords(name)}`
  const headline = `${leader} ${ahead} than ${other}${apposition}${intervalClause(facts, pair)}`
  const clauses = `${contextsClause(facts, leader, other)}${timeClause(aggregate, leader, other)}`
  return {
    headline,
    sentence: `${place(facts)}, ${headline}${clauses}.`,
    conditions: clauses === '' ? null : `${leader} does so ${clauses.replace(/^, /, '')}.`,
  }
}

const isShare = (name: ComparedName): boolean => metricNamed(name)?.unit === 'score'

/** `14 percentage points` of a score from 0 to 1; other values in their unit. */
function amountWords(name: ComparedName, size: number): string {
  if (!isShare(name)) return valueWords(name, size)
  const points = Math.round(size * 100)
  return points === 0 ? 'less than 1 percentage point' : plural(points, 'percentage point')
}

/** Whole points; with a decimal where they would round to 0, which would look undecided. */
export function pointsWords(points: number): string {
  const text = Math.round(points) === 0 ? points.toFixed(1) : String(Math.round(points))
  return Number(text) === 0 ? '0' : text.replace('-', '−')
}

function intervalClause({ name, compared }: Facts, { difference: { interval } }: PairComparison): string {
  if (interval === null) return ''
  const percent = Number((compared.settings.level * 100).toPrecision(4))
  const write = (value: number): string => (isShare(name) ? pointsWords(value * 100) : valueWords(name, value))
  return ` (${percent} % interval ${write(interval.low)} to ${write(interval.high)})`
}

/** Mean number per answer of what a retrieval metric looks into, and what that is. */
interface ReadPassages {
  count: number | undefined
  noun: string
}

/**
 * Who hands over more contexts can find more in them: both numbers where they differ by more than a tenth and the metric looks into them. An approach
 * that answers without contexts is measured by what its engine reports as used, which is named so.
 */
function contextsClause({ aggregate, name }: Facts, leader: string, other: string): string {
  if (metricNamed(name)?.class !== 'retrieval') return ''
  const [own, against] = [leader, other].map((model) => {
    const approach = aggregate.approaches.find((each) => each.model === model)
    const noun = approach?.evidence_capability === 'answer_only' ? REPORTED_PASSAGES : 'contexts'
    return { count: approach?.all_contexts?.contexts, noun }
  }) as [ReadPassages, ReadPassages]
  if (own.count === undefined || against.count === undefined) return ''
  if (Math.abs(own.count - against.count) <= 0.1 * against.count) return ''
  const otherNoun = own.noun === against.noun ? '' : ` ${against.noun}`
  return `, with ${own.count.toFixed(1)} ${own.noun} per answer against ${against.count.toFixed(1)}${otherNoun}`
}

/** Ratio of median latencies of the answered cells; nothing where cells failed, because those that answered may be the quick ones. */
function timeClause({ approaches }: Aggregate, leader: string, other: string): string {
  const [own, against] = [leader, other].map((model) => {
    const approach = approaches.find((each) => each.model === model)!
    return approach.cells.error + approach.cells.timeout > 0 ? null : approach.operational.latency_ms.median
  })
  if (own === null || own === undefined || against === null || against === undefined || against === 0) return ''
  const ratio = own / against
  if (ratio > 0.95 && ratio < 1.05) return ', in the same time'
  return `, ${ratio > 1 ? 'at' : 'in'} ${ratio >= 10 ? countWords(ratio) : ratio.toFixed(1)} × the time`
}

/** The highest mean and how far it is from the baseline, or from the next where the baseline is highest. */
function highestSentence(facts: Facts): string {
  const { aggregate, name, compared, standings, highest } = facts
  const [top] = standings
  if (highest.length === standings.length) return `All have the same mean, ${valueWords(name, top!.mean)}.`
  const interval = compared.approaches.find(({ model }) => model === top!.model)?.mean.interval ?? null
  const value = `${valueWords(name, top!.mean)} ${intervalWords(name, interval)}`.trimEnd()
  if (highest.length > 1) return `${listed(highest)} have the highest mean, ${value}.`
  const baseline = baselineOf(aggregate)?.model
  const reference = standings.find(({ model }) => model === baseline && model !== top!.model) ?? standings[1]!
  const pair = facts.pairOf(reference.model)
  const difference = pair?.difference.value ?? null
  if (pair === null || difference === null) return `${top!.model} has the highest mean, ${value}.`
  return `${top!.model} has the highest mean, ${value}, ${amountWords(name, Math.abs(difference))} above ${reference.model}${intervalClause(facts, pair)}; ${
    isDecidedAlone(facts, reference.model)
      ? 'this rung alone would decide that, the correction over all rungs does not'
      : neededWords(facts, [pair])
  }.`
}

/** Whether only the correction over all rungs leaves it open: then the rung itself has questions enough, and further ones would not change it. */
const isDecidedAlone = ({ compared, standings }: Facts, other: string): boolean =>
  pairAgainst(compared, standings[0]!.model, other)?.decision === 'better'

const openSentence = (facts: Facts, leader: string): string => {
  const { open, pairOf } = facts
  const alone = open.filter((model) => isDecidedAlone(facts, model))
  const pairs = open.flatMap((model) => (alone.includes(model) ? [] : (pairOf(model) ?? [])))
  const words = [
    ...(alone.length === 0
      ? []
      : [`on this rung alone it is better than ${listed(alone)}, but not after the correction over all rungs`]),
    ...(pairs.length === 0 ? [] : [neededWords(facts, pairs)]),
  ]
  return `${leader} is not distinguishable from ${listed(open)}${words.length === 0 ? '' : `: ${words.join('; ')}`}.`
}

/** Beyond this many times the questions of a run, the difference is as good as none. */
const MOST_TIMES = 50

/**
 * How many more questions would decide open pairs: of one pair its number; of several the pair that needs the fewest by name, and what the closest of
 * the others would need. A range over all pairs would not describe any of them.
 */
function neededWords({ name, compared, standings }: Facts, pairs: readonly PairComparison[]): string {
  const leader = standings[0]!.model
  const otherOf = ({ a, b }: PairComparison): string => (a === leader ? b : a)
  const needed = pairs
    .flatMap((pair) => {
      const more = moreQuestions(pair)
      const other = otherOf(pair)
      return more === null ? [] : [{ other, more, isWithin: more <= MOST_TIMES * pair.difference.n }]
    })
    .sort((x, y) => x.more - y.more)
  const [nearest, next] = needed
  if (nearest === undefined) {
    const questions = compared.questions_needed ?? null
    const few = 'they differ on too few questions for an estimate of what would decide it'
    if (questions === null) return few
    return `${few}; about ${countWords(questions.median)} questions would decide a difference of ${amountWords(name, questions.difference)}`
  }
  if (!nearest.isWithin)
    return `the ${pairs.length > 1 ? 'differences are' : 'difference is'} so small that more than ${countWords(MOST_TIMES)} times as many questions would be needed to decide ${pairs.length > 1 ? 'any' : 'it'}`
  if (pairs.length === 1) return `about ${plural(nearest.more, 'more question')} like these would decide it`
  const others = pairs.map(otherOf).filter((other) => other !== nearest.other)
  return `about ${plural(nearest.more, 'more question')} like these would decide it against ${nearest.other}; ${othersWords(others, next)}`
}

/** What the open pairs other than the nearest one would need, by the closest of them. */
function othersWords(others: readonly string[], next?: { other: string; more: number; isWithin: boolean }): string {
  const [only] = others
  const isOne = others.length === 1
  if (next === undefined) return `for ${isOne ? only : 'the other pairs'} there is no estimate`
  if (!next.isWithin) {
    const many = `more than ${countWords(MOST_TIMES)} times as many as this run has`
    return isOne ? `against ${only} it would take ${many}` : `the closest of the other pairs would need ${many}`
  }
  return isOne
    ? `against ${only} it would take about ${countWords(next.more)}`
    : `the closest of the other pairs, against ${next.other}, would need about ${countWords(next.more)}`
}

/**
 * Questions beyond those of the pair that would show its difference, if it is the true one, as decided with 80 % power: the detectable difference
 * falls with the root of their number. Null where the pair has no error or no difference.
 */
export function moreQuestions({ difference, smallest_detectable: detectable }: PairComparison): number | null {
  const { value, n } = difference
  if (detectable === null || value === null || value === 0) return null
  return Math.max(1, Math.ceil(n * (detectable / Math.abs(value)) ** 2) - n)
}

/** Who is not part of the comparison, or only with a part of its cells, and why. */
function leftOutSentences(aggregate: Aggregate, name: ComparedName): string[] {
  const sentences = aggregate.approaches.flatMap(({ model, cells }) => {
    const figure = rungFigure(aggregate, name, model)
    if (figure === null) return [`${model} is left out: it has no score.`]
    if (isThin(aggregate, name, figure))
      return [`${model} is left out: it is scored on ${figure.n} of ${plural(figure.expected, 'cell')}.`]
    const failed = cells.error + cells.timeout
    return failed === 0 ? [] : [`${model} failed ${failed} of ${plural(cells.expected, 'cell')}, which have no score.`]
  })
  return [
    ...sentences,
    ...aggregate.unavailable.map(({ model, reason }) => `${model} was unavailable: ${reason.replace(/[.\s]+$/, '')}.`),
  ]
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`
