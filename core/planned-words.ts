import type { PlannedDifference } from '../contract/control/run-job.ts'
import { metricOfId } from '../contract/metrics/metrics.ts'
import { countWords, plural } from '../contract/words.ts'

const GROUPED_BY: Record<NonNullable<PlannedDifference['basis']>, string> = {
  question: ' (no two share a gold document)',
  gold_documents: ' by the gold documents that they share',
  gold_documents_split: ' by the gold documents that they share, weak links left out',
  gold_passages: ' by the gold passages that they share, as they are about too few documents',
}

/**
 * Returns what the questions of a dataset decide on the primary metric, and what the plan assumes, as a sentence about `subject`; null where no two
 * approaches are compared.
 */
export function plannedWords(subject: string, planned: PlannedDifference): string | null {
  const { pairs, alone, among, metric: id, questions, groups, basis, spread, spread_run: run } = planned
  if (pairs === 0) return null
  if (id === null)
    return `${subject} cannot be tested: no question has what the primary metric needs: gold evidence, answer keys, or votes of validated judges`
  const { label, unit } = metricOfId(id)
  const counts = `${plural(questions, 'question')} that ${label} can score ${questions === 1 ? 'is' : 'are'} in ${plural(groups, 'independent group')}${GROUPED_BY[basis ?? 'question']}`
  if (alone === null) return `${subject} has too few questions to test: its ${counts}, and a test needs 8`
  const points = (share: number): string => String(Math.ceil(Math.min(1, share) * 100))
  const size = unit === 'score' ? 'percentage points' : 'percent of the scale'
  const rest =
    pairs === 1
      ? ''
      : among === null
        ? `, and none in each of ${countWords(pairs)} pairs`
        : `, of about ${points(among)} in each of ${countWords(pairs)} pairs`
  const source = run === null ? 'assumed, as no earlier run shows it' : `as in run ${run}`
  return `${subject} decides a difference of about ${points(alone)} ${size} on ${label} between two approaches${rest}, in 4 of 5 runs (simulated: ${counts}; standard deviation of a question's difference ${spread.toFixed(2)}, ${source})`
}

/** Returns what the questions decide in a few words, as a card has room for; null where no two approaches are compared. */
export function decidesWords({ pairs, alone, metric: id, groups }: PlannedDifference): string | null {
  if (pairs === 0) return null
  if (id === null) return 'Cannot be tested: no question has gold evidence, answer keys or votes of validated judges.'
  const { label, unit } = metricOfId(id)
  if (alone === null) return `Too few questions to test: ${plural(groups, 'independent group')}, and a test needs 8.`
  const size = unit === 'score' ? 'points' : '% of the scale'
  return `Decides differences of about ${Math.ceil(Math.min(1, alone) * 100)} ${size} on ${label}.`
}
