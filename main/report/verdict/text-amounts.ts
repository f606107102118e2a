// A lead rests on like amounts of text, or on a hybrid that handed over as much: who hands over more text finds more in it.
import { BASELINE, KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { countWords, listWords, lowerFirst } from '../../../contract/words.ts'
import { likeAmounts } from '../aggregate/context-amounts.ts'
import { nameWords, valueWords } from '../words.ts'
import type { Facts } from './facts.ts'
import { nextStep } from './next-step.ts'
import { MOST_WORDS, wordsIn, type Outcome } from './outcome.ts'

/**
 * The outcome with what the amounts of text allow. A lead stands where every approach below handed over a like amount, or more of it to a retrieval metric, and
 * where the leader is also better than a hybrid of its own amount. Else it is named as a lead with other amounts of text.
 */
export function withTextAmounts(facts: Facts, outcome: Outcome): { outcome: Outcome; notes: string[] } {
  if (outcome.kind !== 'winner' && outcome.kind !== 'tied') return { outcome, notes: [] }
  const { medians, isLike } = likeAmounts(facts.aggregate)
  const isFavoured = (model: string, other: string): boolean => {
    if (isLike(model, other) !== false) return false
    const hasLess = medians.get(model)! < medians.get(other)!
    return !(hasLess && metricNamed(facts.name)?.class === 'retrieval')
  }
  const favoured = outcome.top.filter((model) =>
    outcome.worse.some((other) => facts.state(model, other) === 'better' && isFavoured(model, other)),
  )
  if (favoured.length === 0) return { outcome, notes: [] }
  const tokens = (model: string): string => `${countWords(medians.get(model)!)} tokens`
  const matches = favoured.map((model) => ({ model, baseline: matchOf(facts, model, isLike) }))
  const without = matches.flatMap(({ model, baseline }) => (baseline === null ? [model] : []))
  const known = [...new Set([...favoured, ...outcome.worse])].filter((model) => (medians.get(model) ?? null) !== null)
  const amounts = `Text handed over (median): ${known.map((model) => `${model} ${tokens(model)}`).join(', ')}.`
  if (without.length === 0) {
    const parts = matches.map(({ model, baseline }) => `${model} is better than ${baseline!} (${tokens(baseline!)})`)
    return { outcome, notes: [amounts, `At like amounts of text, ${listWords(parts)}.`] }
  }
  const headline = `${outcome.headline}, but not at like amounts of text`
  return {
    outcome: {
      ...outcome,
      kind: 'unlike_text',
      recommendation: `As they ran, ${lowerFirst(outcome.recommendation!)}`,
      headline: wordsIn(headline) <= MOST_WORDS ? headline : 'The top group handed over unlike amounts of text',
      next: nextStep(
        facts.aggregate,
        'new_run',
        'Run again with one context budget, or with a hybrid that hands over as much text.',
      ),
    },
    notes: [amounts, `No hybrid of like amount shows that ${listWords(without)} would lead with equal text.`],
  }
}

/** A hybrid of the model's own amount that a test found worse; null for none. */
function matchOf(facts: Facts, model: string, isLike: (a: string, b: string) => boolean | null): string | null {
  const hybrids = facts.aggregate.approaches.filter(
    ({ model, base_model: base }) => base === BASELINE && model !== KEYWORD_BASELINE,
  )
  const found = hybrids.find(({ model: hybrid }) => hybrid !== model && isLike(model, hybrid) === true)
  return found !== undefined && facts.state(model, found.model) === 'better' ? found.model : null
}

/** Who is highest at which budget, from the contexts that rows store, where it is not always the same approach. */
export function budgetNotes({ aggregate, name, standings }: Facts): string[] {
  if (name !== 'facts_found' || standings.length < 2) return []
  const compared = aggregate.approaches.filter(({ model }) => standings.some((each) => each.model === model))
  const budgets = new Set(compared.flatMap(({ budget_curve: curve }) => (curve ?? []).map(({ tokens }) => tokens)))
  const highest = [...budgets].flatMap((tokens) => {
    const points = compared.map((approach) => ({ model: approach.model, found: foundAt(approach, tokens) }))
    if (points.some(({ found }) => found === null)) return []
    const best = Math.max(...points.map(({ found }) => found!))
    const leaders = points.filter(({ found }) => found === best)
    return leaders.length > 1 ? [] : [{ at: tokens, model: leaders[0]!.model, value: valueWords(name, best) }]
  })
  const parts = changesOf(highest, (tokens) => `${countWords(tokens)} tokens`)
  return parts === null ? [] : [`The order changes with the budget, not tested: highest ${nameWords(name)} ${parts}.`]
}

/** `at 1 hop graph-rag (0.97), from 2 hops agentic-rag (0.92)`: where the highest approach changes; null where it never does. */
export function changesOf(
  highest: readonly { at: number; model: string; value: string }[],
  write: (at: number) => string,
): string | null {
  const parts = highest.flatMap(({ at, model, value }, place) => {
    if (highest[place - 1]?.model === model) return []
    const goesOn = highest[place + 1]?.model === model
    return [`${goesOn ? 'from' : 'at'} ${write(at)} ${model} (${value})`]
  })
  return parts.length < 2 ? null : parts.join(', ')
}

const foundAt = ({ budget_curve: curve }: Aggregate['approaches'][number], tokens: number): number | null =>
  curve?.find((point) => point.tokens === tokens)?.found ?? null
