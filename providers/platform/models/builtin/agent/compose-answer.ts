import { NO_ANSWER } from '../../../../../contract/prompts.ts'
import { answerQuestion, closed, MOST_SENTENCES, refusalReason } from '../answering/answer-question.ts'
import type { Passage } from '../../prompts/answer-task.ts'
import { scoreRelevance } from '../relevance/score-relevance.ts'
import type { Walk } from './walk.ts'

/** Passages that are read for a plain answer, the most relevant ones. */
const READ_PASSAGES = 5
/** Share of the question that a chain must cover. */
const LEAST_TOLD = 0.2

/** An answer from the passages: the last sentences of the best chain, which hold what is asked for, or what answers without a chain. */
export function composeAnswer(question: string, walks: readonly Walk[], passages: readonly Passage[]): string {
  const best = walks[0]
  if (best === undefined || best.lines.length < 2 || best.told < LEAST_TOLD)
    return answerQuestion({ question, passages: mostRelevant(question, passages) })
  const refusal = refusalReason(question, passages, best.told)
  if (refusal !== null) return `${NO_ANSWER} ${refusal}`
  return best.lines
    .slice(-MOST_SENTENCES)
    .map(({ text }) => closed(text))
    .join(' ')
}

function mostRelevant(question: string, passages: readonly Passage[]): Passage[] {
  const scored = passages.map((passage) => ({ passage, score: scoreRelevance(question, passage.text) }))
  const ordered = scored.toSorted((a, b) => b.score - a.score)
  return ordered.slice(0, READ_PASSAGES).map(({ passage }) => passage)
}
