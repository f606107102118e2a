import type { DraftedQuestion } from '../contract/control/drafted-questions.ts'
import type { PlannedDifference } from '../contract/control/run-job.ts'
import { QUESTION_CLASSES } from '../contract/question-classes.ts'
import { metricOfId } from '../contract/metrics/metrics.ts'
import { countWords, plural } from '../contract/words.ts'

/** `Bridge · keyword search finds its passages by rank 17`; null for a draft of before there were classes. */
export function draftFacts({ question_class: kind, bm25_rank: rank, question }: DraftedQuestion): string | null {
  if (kind === undefined) return null
  const { label } = QUESTION_CLASSES[kind]
  if (question.gold.length === 0) return label
  const found =
    rank === null || rank === undefined
      ? 'keyword search does not find all of its passages in 100'
      : `keyword search finds its ${question.gold.length === 1 ? 'passage at' : 'passages by'} rank ${countWords(rank)}`
  return `${label} · ${found}`
}

/** `With 24 ticked questions a difference of 18 points can be found`: what a set decides while it grows, with its metric and groups. */
export function powerWords(ticked: number, planned: PlannedDifference): string {
  const { alone, metric: id, questions, groups } = planned
  const set = `With ${plural(ticked, 'ticked question')}`
  if (id === null) return `${set} nothing can be tested: none has a gold passage.`
  const { label, unit } = metricOfId(id)
  if (alone === null) return `${set} nothing can be tested: ${plural(groups, 'independent group')}, and a test needs 8.`
  const size = unit === 'score' ? 'points' : '% of the scale'
  return `${set} a difference of ${countWords(Math.ceil(Math.min(1, alone) * 100))} ${size} can be found (${label}; ${plural(questions, 'question')} that it can score, ${plural(groups, 'independent group')}).`
}
