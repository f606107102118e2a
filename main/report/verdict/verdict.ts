// This file states what a dataset run shows on its primary metric, in sentences that are the same in the terminal, in Markdown, HTML and JSON and on every page. Nothing is claimed that no
// test carries: "leads" and "better" are pairs that Holm's correction leaves over the pairs of a dataset, or of all datasets of a run.
import { KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { ApproachBehaviour, Verdict } from '../../../contract/evidence/verdict.ts'
import { isTestedPair } from '../../../contract/evidence/statistics.ts'
import { listWords, looksWords, lowerFirst, plural, scopeWords } from '../../../contract/words.ts'
import { intervalWords, nameWords, valueWords } from '../words.ts'
import { rungFigure } from '../tables/leaderboard.ts'
import type { ComparedName } from '../aggregate/aggregate-access.ts'
import { ladderDecisions, ladderEquivalences, noPrimaryReason, primaryMetric } from '../aggregate/metric-use.ts'
import { allTextOf, allTextWords } from './all-text.ts'
import { sentenceOf } from './amounts.ts'
import { withBaseline } from './baseline.ts'
import { missingColumns, missingNotes } from '../../../core/evidence/missing-columns.ts'
import { behaviourOf, failedWords, failsMuch, notesOf } from './behaviour.ts'
import { factsOf, scoredQuestions, unrankedApproaches, type Facts, type OverAll } from './facts.ts'
import { nextStep } from './next-step.ts'
import { MOST_WORDS, outcomeOf, wordsIn, type Outcome } from './outcome.ts'
import { ownCostWords } from './recommendation.ts'
import { withTextAmounts } from './text-amounts.ts'
import { withTuning } from './tuned.ts'

/** One verdict per dataset run, in the given order. With several, a pair must be decided on its dataset and over the pairs of all. */
export function verdictsOf(aggregates: readonly Aggregate[]): Verdict[] {
  const name = primaryMetric(aggregates)
  if (aggregates.length < 2) return aggregates.map((aggregate) => verdictOf(aggregate, name, ALONE))
  const [decided, equivalent] = [ladderDecisions(aggregates), ladderEquivalences(aggregates)]
  return aggregates.map((aggregate) => {
    const isIn = (pairs: readonly Pair[]) => (x: string, y: string) =>
      pairs.some(({ aggregate: of, a, b }) => of === aggregate && ((a === x && b === y) || (a === y && b === x)))
    return verdictOf(aggregate, name, { isDecided: isIn(decided), isEquivalent: isIn(equivalent) })
  })
}

interface Pair {
  aggregate: Aggregate
  a: string
  b: string
}

/** A run of one dataset is corrected over its own pairs, in its aggregate. */
const ALONE: OverAll = { isDecided: () => true, isEquivalent: () => true }

function verdictOf(aggregate: Aggregate, name: ComparedName | null, overAll: OverAll): Verdict {
  const { dataset } = aggregate
  const behaviour = behaviourOf(aggregate, name)
  const all = name === null ? null : factsOf(aggregate, name, overAll)
  const facts = all === null || reasonNothingCompares(aggregate, all) !== null ? null : all
  const found =
    facts === null
      ? { outcome: notComparable(aggregate, all, behaviour), notes: [] }
      : comparableOutcome(facts, behaviour)
  const outcome = withFailures(aggregate, facts === null ? found.outcome : withScope(facts, found.outcome))
  const missing = missingColumns(aggregate).filter(({ answers }) => answers === undefined)
  const hashed = facts === null ? null : hashedReason(aggregate)
  const left = unrankedApproaches(aggregate).length === 1 ? 'it' : 'them'
  const unranked = hashed === null ? [] : [`${hashed}. The verdict counts no pair with ${left}; the tables do.`]
  const notes = [...missingNotes(missing), ...found.notes, ...unranked, ...notesOf(aggregate, name, facts)]
  const { kind, top, worse, headline, why, recommendation, next } = outcome
  return {
    dataset: dataset.id,
    label: dataset.label,
    kind,
    metric: name,
    questions: facts === null ? null : scoredQuestions(facts),
    top,
    worse,
    headline,
    why,
    recommendation,
    next,
    notes,
    ...(missing.length === 0 ? {} : { missing }),
    behaviour,
    sentences: [
      `${dataset.label}: ${headline}.`,
      why,
      ...(recommendation === null ? [] : [recommendation]),
      ...notes,
      `Next: ${lowerFirst(next.text)}`,
    ],
  }
}

/** The outcome of tests, with what the amounts of text, the keyword baseline and earlier tunings make of it. */
function comparableOutcome(
  facts: Facts,
  behaviour: readonly ApproachBehaviour[],
): { outcome: Outcome; notes: string[] } {
  const amounts = withTextAmounts(facts, outcomeOf(facts, behaviour))
  const baseline = withBaseline(facts, amounts.outcome)
  const tuning = withTuning(facts, baseline.outcome)
  const all = tuning.outcome.kind === 'ceiling' ? null : allTextOf(facts)
  const whole =
    all === null
      ? []
      : [
          `${allTextWords(all)}. At this budget retrieval is not tested: a smaller context budget, or more documents, would make approaches choose.`,
        ]
  return { outcome: tuning.outcome, notes: [...tuning.notes, ...amounts.notes, ...whole, ...baseline.notes] }
}

/** Why approaches that search by vectors alone are not ranked against keyword search, where the vectors are hashed words; null where none is left out. */
function hashedReason(aggregate: Aggregate): string | null {
  const unranked = unrankedApproaches(aggregate)
  if (unranked.length === 0) return null
  return `${listWords(unranked)} ${unranked.length === 1 ? 'is' : 'are'} not ranked against ${KEYWORD_BASELINE}, because the vectors of this run are hashed words, not those of a model: the model set local-embeddings compares them`
}

/** Adds what the tests are about where they show nothing of other documents, and which look they are corrected for. */
function withScope({ aggregate: { comparisons, looks }, compared }: Facts, outcome: Outcome): Outcome {
  if (!compared.pairs.some(isTestedPair)) return outcome
  const added = [scopeWords(comparisons!.clusters), looks === undefined ? null : looksWords(looks)]
  return {
    ...outcome,
    why: [outcome.why, ...added.flatMap((words) => (words === null ? [] : [sentenceOf(words)]))].join(' '),
  }
}

function reasonNothingCompares(aggregate: Aggregate, facts: Facts | null): string | null {
  const { approaches, comparisons } = aggregate
  if (approaches.length === 1) return `only ${approaches[0]!.model} was run`
  if (comparisons === null) return 'no answer has been compared yet'
  if (facts === null) return null
  if (facts.standings.length < 2) return hashedReason(aggregate) ?? 'fewer than two approaches have enough scores'
  return facts.compared.decided.comparable === 0 ? 'no two approaches share a scored question' : null
}

/** A run in which no pair could be compared, whatever its questions. */
function notComparable(aggregate: Aggregate, facts: Facts | null, behaviour: readonly ApproachBehaviour[]): Outcome {
  const reason = reasonNothingCompares(aggregate, facts)
  const head = { kind: 'not_comparable' as const, top: [], worse: [], recommendation: null }
  if (aggregate.approaches.length === 1) {
    const [only] = behaviour
    return {
      ...head,
      headline: `Only ${only!.model} was run`,
      why: `${onlyFigure(aggregate, facts)}There is no second approach to compare it with.`,
      recommendation: ownCostWords(only!),
      next: nextStep(aggregate, 'new_run', 'Run at least one more approach on the same questions.'),
    }
  }
  if (aggregate.comparisons === null)
    return {
      ...head,
      headline: 'No answer has been compared yet',
      why: 'The run has no scored answer.',
      next: nextStep(aggregate, 'wait', 'Wait until the run has scored its answers.'),
    }
  if (facts === null)
    return {
      ...head,
      headline: 'No metric can compare the approaches',
      why: sentenceOf(noPrimaryReason([aggregate])),
      next: nextStep(aggregate, 'add_gold', 'Add gold facts or answer keys to the questions.'),
    }
  const hashed = hashedReason(aggregate)
  if (hashed !== null && reason === hashed)
    return {
      ...head,
      headline: 'The approaches cannot be compared',
      why: `${hashed}.`,
      next: nextStep(aggregate, 'new_run', 'Run again with the model set local-embeddings, or add another approach.'),
    }
  return {
    ...head,
    headline: 'The approaches cannot be compared',
    why: sentenceOf(reason!),
    next: nextStep(aggregate, 'retry_failures', 'See which answers have no score, and retry those that failed.'),
  }
}

function onlyFigure(aggregate: Aggregate, facts: Facts | null): string {
  const figure = facts === null ? null : rungFigure(aggregate, facts.name, aggregate.approaches[0]!.model)
  if (figure === null) return ''
  const { name } = facts!
  const value = `${valueWords(name, figure.mean)} ${intervalWords(name, figure.interval)}`.trimEnd()
  return `Its ${nameWords(name)} is ${value} on ${plural(figure.n, 'scored answer')}. `
}

/** The headline also says where an approach failed much: its figures are of the answers that it gave. */
function withFailures(aggregate: Aggregate, outcome: Outcome): Outcome {
  const failing = aggregate.approaches.filter(failsMuch)
  const [first, ...others] = failing
  if (first === undefined) return outcome
  const words = others.length === 0 ? failedWords(first) : `${failing.length} approaches failed many answers`
  const isNamed = outcome.kind !== 'not_comparable'
  const both = `${outcome.headline}; ${words}`
  const fits = isNamed && wordsIn(both) <= MOST_WORDS
  return {
    ...outcome,
    kind: 'partly_failed',
    headline: fits ? both : wordsIn(words) <= MOST_WORDS ? words : `${failing.length} approaches failed many answers`,
    why: fits ? outcome.why : `${outcome.headline}. ${outcome.why}`,
    next: nextStep(
      aggregate,
      'retry_failures',
      aggregate.approaches.every(({ cells }) => cells.ok === 0)
        ? 'No answer came: correct what failed, then retry the answers.'
        : 'Retry the failed answers: those that are missing may be the hard ones.',
    ),
  }
}
