// This file states what changed between a run and other ones, in the words of the verdict: nothing about significance where no pair was tested.
import type { RunChange, RunChanges } from '../../../contract/control/comparison.ts'
import { pairState } from '../../../core/evidence/pair-state.ts'
import type { ClusterSummary } from '../../../contract/evidence/statistics.ts'
import { plural, scopeWords } from '../../../contract/words.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import type { ComparedName } from '../aggregate/aggregate-access.ts'
import { valueWords } from '../words.ts'
import { marginWords, sentenceOf } from './amounts.ts'
import { namesIn } from './outcome.ts'

/** Changes in the metric, with their means; `pair` is of the run against the other one and corrected over all changes. */
export function changeVerdict(
  metric: string,
  changes: readonly RunChange[],
  clusters?: ClusterSummary,
): Pick<RunChanges, 'headline' | 'why'> {
  const shared = changes.filter(({ pair }) => pair !== null && pair.difference.n > 0)
  if (shared.length === 0)
    return { headline: 'The runs share no scored question', why: 'Compare runs of the same dataset.' }
  const states = shared.map((change) => ({ ...change, state: pairState(change.pair!) }))
  const of = (wanted: (typeof states)[number]['state']) => states.filter(({ state }) => state === wanted)
  const questions = Math.max(...shared.map(({ pair }) => pair!.difference.n))
  const tested = states.length - of('not_tested').length
  const several = new Set(changes.map(({ other }) => other)).size > 1
  const names = (list: readonly RunChange[]): string =>
    namesIn([...new Set(list.map(({ model, other }) => (several ? `${model} (${other})` : model)))], 4)
  if (shared.every(({ pair }) => pair!.wins + pair!.losses === 0))
    return {
      headline: 'Every score is the same in both runs',
      why: `${plural(shared.length, 'approach', 'approaches')} on ${plural(questions, 'shared question')}; a difference on other questions is not excluded.`,
    }
  if (tested === 0) {
    const fallen = states.filter(({ pair, difference }) => difference < 0 && pair!.difference.value !== 0)
    const moved = states.filter(({ pair }) => pair!.difference.value !== 0)
    return {
      headline: `Too few questions to test: ${plural(questions, 'shared question')}`,
      why: `A test needs ${MIN_CLUSTERS} independent groups of questions. ${
        moved.length === 0
          ? 'Every mean is the same in both runs.'
          : `Not tested: ${listChanges(metric, fallen.length === 0 ? moved : fallen)}.`
      }`,
    }
  }
  const [worse, better] = [of('worse'), of('better')]
  const basis = `${plural(questions, 'shared question')}, corrected over ${plural(tested, 'tested approach', 'tested approaches')}`
  const rest = restWords(metric, of('equivalent'), of('open').length, of('not_tested').length)
  const why = [
    ...[...worse, ...better].slice(0, 4).map((change) => listChanges(metric, [change])),
    ...(rest === '' ? [] : [rest]),
  ].join('; ')
  const count = (list: readonly RunChange[]): string => plural(list.length, 'approach', 'approaches')
  const are = (list: readonly RunChange[]): string => (list.length === 1 ? 'is' : 'are')
  const headline =
    worse.length > 0 && better.length > 0
      ? `${count(worse)} ${are(worse)} worse, ${better.length} better`
      : worse.length > 0
        ? `${names(worse)} ${are(worse)} worse`
        : better.length > 0
          ? `${names(better)} ${are(better)} better`
          : `No approach is better or worse: ${rest}`
  const scope = clusters === undefined ? null : scopeWords(clusters)
  return {
    headline,
    why: `On ${basis}: ${why === '' ? 'no difference' : why}.${scope === null ? '' : ` ${sentenceOf(scope)}`}`,
  }
}

function listChanges(metric: string, changes: readonly RunChange[]): string {
  const shown = changes
    .toSorted((a, b) => a.difference - b.difference)
    .slice(0, 4)
    .map(({ model, from, to }) => {
      const verb = to === from ? 'stayed at' : to < from ? 'fell' : 'rose'
      const write = (value: number): string => valueWords(metric as ComparedName, value)
      return to === from ? `${model} ${verb} ${write(to)}` : `${model} ${verb} from ${write(from)} to ${write(to)}`
    })
  return changes.length > shown.length
    ? `${shown.join(', ')} and ${changes.length - shown.length} more`
    : shown.join(', ')
}

function restWords(metric: string, same: readonly RunChange[], open: number, untested: number): string {
  const margin = same[0]?.pair?.equivalence?.margin ?? 0
  return [
    ...(same.length === 0 ? [] : [`${same.length} equivalent within ${marginWords(metric as ComparedName, margin)}`]),
    ...(open === 0 ? [] : [`${open} open`]),
    ...(untested === 0 ? [] : [`${untested} not tested`]),
  ].join(', ')
}
