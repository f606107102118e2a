// This file states what approaches did besides the primary metric, and where their order changes: refusals, failures, amounts of text, hops.
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { listWords, plural } from '../../../contract/words.ts'
import { hopMetricOf, type ComparedName } from '../aggregate/aggregate-access.ts'
import { isLikeAmount } from '../aggregate/context-amounts.ts'
import { comparableMean, isThin, rungFigure } from '../tables/leaderboard.ts'
import { isScoreOfCells, type ScoreMetric } from '../aggregate/metric-outcome.ts'
import { REPORTED_PASSAGES } from '../aggregate/metric-use.ts'
import { nameWords, valueWords } from '../words.ts'
import type { Facts } from './facts.ts'
import { budgetNotes, changesOf } from './text-amounts.ts'

export const behaviourOf = (aggregate: Aggregate, name: ComparedName | null): ApproachBehaviour[] =>
  aggregate.approaches.map((approach) => {
    const { model, cells, operational, refusals } = approach
    const figure = name === null ? null : rungFigure(aggregate, name, model)
    const unanswerable = unanswerableOf(approach)
    const abstained = unanswerable === null ? 0 : unanswerable.scored - unanswerable.answered
    return {
      model,
      mean: figure === null ? null : comparableMean(figure),
      expected: cells.expected,
      failed: cells.error + cells.timeout,
      timeouts: cells.timeout,
      unanswerable,
      refused: refusals === undefined ? null : Math.max(0, refusals.refused - abstained),
      latency_ms: operational.latency_ms.median,
      llm_calls: operational.llm_calls.mean,
      total_tokens: operational.total_tokens.mean,
      context_tokens: approach.context_tokens?.median ?? null,
    }
  })

function unanswerableOf({ answer }: ApproachSummary): ApproachBehaviour['unanswerable'] {
  const { scored = 0, mean = null } = answer.abstention ?? {}
  return scored === 0 || mean === null ? null : { scored, answered: Math.round(scored * (1 - mean)) }
}

/** An approach that failed at least this share of its answers was measured on the others only. */
const FAILED_SHARE = 1 / 10

export const failsMuch = ({ cells }: ApproachSummary): boolean =>
  cells.expected > 0 && cells.error + cells.timeout >= FAILED_SHARE * cells.expected

const timeoutWords = (timeouts: number): string => (timeouts === 0 ? '' : ` (${plural(timeouts, 'timeout')})`)

/** `graph-rag failed 5 of 24 answers`, with how many of them timed out. */
export const failedWords = ({ model, cells: { expected, error, timeout } }: ApproachSummary): string =>
  `${model} failed ${error + timeout} of ${plural(expected, 'answer')}${timeoutWords(timeout)}`

/** Behaviour and changes of order, a sentence each. `facts` is null where nothing compares. */
export function notesOf(aggregate: Aggregate, name: ComparedName | null, facts: Facts | null): string[] {
  const behaviour = behaviourOf(aggregate, name)
  return [
    ...(facts === null
      ? []
      : [...onlyHereNotes(facts), ...passageNotes(facts), ...hopNotes(facts), ...budgetNotes(facts)]),
    ...unanswerableNotes(behaviour),
    ...refusalNotes(behaviour),
    ...leftOutNotes(aggregate, name),
    ...cutNotes(aggregate),
  ]
}

/** Answers that count for nothing, because a limit cut them and the run leaves those out. */
function cutNotes({ approaches, reproducibility }: Aggregate): string[] {
  if (reproducibility?.runtime.excludes_cut_answers !== true) return []
  const cut = approaches.flatMap(({ model, cut_answers: count = 0 }) => (count === 0 ? [] : [`${model} ${count}`]))
  return [
    `Answers that a limit of tokens cut are left out of all scores: ${cut.length === 0 ? 'there is none' : cut.join(', ')}.`,
  ]
}

function onlyHereNotes({ standings, isOnlyHere }: Facts): string[] {
  const [leader, ...others] = standings.map(({ model }) => model)
  const alone = others.filter((model) => isOnlyHere(leader!, model))
  return alone.length === 0
    ? []
    : [
        `On this dataset alone ${leader} is better than ${listWords(alone)}; after the correction over all datasets of the run that is open.`,
      ]
}

/** Who hands over more passages can find more in them; named where a retrieval metric decides and no row tells the tokens. */
function passageNotes({ aggregate, name, standings }: Facts): string[] {
  if (metricNamed(name)?.class !== 'retrieval' || standings.length < 2) return []
  const amounts = standings.flatMap(({ model }) => {
    const approach = aggregate.approaches.find((each) => each.model === model)!
    const count = (approach.context_tokens ?? null) === null ? approach.all_contexts?.contexts : undefined
    const noun = approach.evidence_capability === 'answer_only' ? REPORTED_PASSAGES : 'passages'
    return count === undefined ? [] : [{ model, count, noun }]
  })
  const [own, ...others] = amounts
  if (own === undefined) return []
  const other = others.find(({ count }) => isLikeAmount(own.count, count) === false)
  if (other === undefined) return []
  const noun = own.noun === other.noun ? '' : ` ${other.noun}`
  return [
    `${own.model} handed over ${own.count.toFixed(1)} ${own.noun} per answer, ${other.model} ${other.count.toFixed(1)}${noun}: a part of the difference can come from the amount of text.`,
  ]
}

/** Fewer questions of a hop count than this are not read. */
const FEWEST_OF_HOPS = 8

/** Which approach is highest at which number of hops, where it is not the same one. */
function hopNotes({ aggregate, name, standings }: Facts): string[] {
  if (!isScoreOfCells(metricNamed(name)) || standings.length < 2) return []
  const sign = metricNamed(name)?.better === 'lower' ? -1 : 1
  const compared = aggregate.approaches.filter(({ model }) => standings.some((each) => each.model === model))
  const hops = [...new Set(compared.flatMap(({ by_hops }) => by_hops.map((group) => group.hops)))]
  const highest = hops.flatMap((count) => {
    if (count === null) return []
    const means = compared.flatMap(({ model, by_hops }) => {
      const figure = by_hops.find((group) => group.hops === count)
      const metric = figure === undefined ? undefined : hopMetricOf(figure, name as ScoreMetric)
      return metric?.mean === null || metric === undefined || metric.n < FEWEST_OF_HOPS
        ? []
        : [{ model, mean: metric.mean, n: metric.n }]
    })
    if (means.length < compared.length) return []
    const best = means.reduce((a, b) => (sign * b.mean > sign * a.mean ? b : a))
    const isShared = means.filter(({ mean }) => mean === best.mean).length > 1
    return isShared ? [] : [{ at: count, model: best.model, value: `${valueWords(name, best.mean)}, n ${best.n}` }]
  })
  const parts = changesOf(highest, (count) => plural(count, 'hop'))
  return parts === null ? [] : [`The order changes with hops, not tested: highest ${nameWords(name)} ${parts}.`]
}

function unanswerableNotes(behaviour: readonly ApproachBehaviour[]): string[] {
  const asked = behaviour.flatMap(({ model, unanswerable }) =>
    unanswerable === null ? [] : [{ model, ...unanswerable }],
  )
  if (asked.length === 0) return []
  const most = Math.max(...asked.map(({ scored }) => scored))
  const question = most === 1 ? 'the 1 unanswerable question' : `${most} unanswerable questions`
  const answering = asked.filter(({ answered }) => answered > 0)
  if (answering.length === 0) return [`No approach answered ${most === 1 ? question : `any of ${question}`}.`]
  if (asked.length === behaviour.length && asked.every(({ answered, scored }) => answered === scored))
    return [
      `${asked.length === 1 ? asked[0]!.model : asked.length === 2 ? 'Both approaches' : `All ${asked.length} approaches`} answered ${most === 1 ? question : `all ${question}`} instead of refusing.`,
    ]
  const parts = answering.map(({ model, answered, scored }) => `${model} ${answered} of ${scored}`)
  const shares = new Set(asked.map(({ answered, scored }) => `${answered} of ${scored}`))
  if (asked.length === behaviour.length && asked.length > 1 && shares.size === 1)
    return [`Every approach answered ${[...shares][0]!} unanswerable questions instead of refusing.`]
  return [`Answered unanswerable questions instead of refusing: ${parts.join(', ')}.`]
}

function refusalNotes(behaviour: readonly ApproachBehaviour[]): string[] {
  const refusing = behaviour.filter(({ refused }) => (refused ?? 0) > 0)
  if (refusing.length === 0) return []
  const parts = refusing.map(({ model, refused, expected, failed, unanswerable }) => {
    const answered = expected - failed - (unanswerable?.scored ?? 0)
    return `${model} ${refused} of ${answered}`
  })
  return [`Refused answerable questions: ${parts.join(', ')}.`]
}

/** Who is not part of the comparison, or only with a part of its answers, and why. */
/** One sentence for all approaches with failed answers. */
function failedNotes(approaches: readonly ApproachSummary[]): string[] {
  const failed = approaches.filter(({ cells }) => cells.error + cells.timeout > 0)
  if (failed.length === 0) return []
  if (failed.length === 1) return [`${failedWords(failed[0]!)}; failed answers have no score.`]
  const counts = failed.map(
    ({ model, cells: { expected, error, timeout } }) =>
      `${model} ${error + timeout} of ${expected}${timeoutWords(timeout)}`,
  )
  return [`Answers failed and have no score: ${listWords(counts)}.`]
}

function leftOutNotes(aggregate: Aggregate, name: ComparedName | null): string[] {
  const notes = aggregate.approaches.flatMap(({ model }) => {
    const figure = name === null ? undefined : rungFigure(aggregate, name, model)
    if (figure === undefined) return []
    if (figure === null) return [`${model} is left out: it has no score.`]
    if (!isThin(aggregate, name!, figure)) return []
    return [`${model} is left out: it is scored on ${figure.n} of ${plural(figure.expected, 'answer')}.`]
  })
  return [
    ...failedNotes(aggregate.approaches),
    ...notes,
    ...aggregate.unavailable.map(({ model, reason }) => `${model} was unavailable: ${reason.replace(/[.\s]+$/, '')}.`),
  ]
}
