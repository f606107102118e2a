import { NO_ANSWER } from '../../prompts/answer-task.ts'
import type { AnswerTask } from '../../prompts/answer-task.ts'
import { analyseQuestion } from '../matching/question.ts'
import { candidateSentences } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import { gatherEvidence } from './evidence.ts'
import { refusalReason } from './refusal.ts'
import { support, weighTerms } from './support.ts'
import { verdictOn } from './verdict.ts'

const closed = ({ text }: Candidate): string => (/[.!?…:;"”’')\]]$/.test(text) ? text : `${text}.`)

/**
 * Answers a question with one to three sentences of the passages, word for word but for Markdown marks, white space and a period after
 * table rows, or with NO_ANSWER and what is missing when they do not support an answer. Where sentences decide a question for yes or no,
 * a choice or a comparison, its verdict comes first.
 */
export function answerQuestion(task: AnswerTask): string {
  const question = analyseQuestion(task.question)
  const candidates = candidateSentences(task.passages)
  const terms = weighTerms(question, candidates)
  const supported = candidates.map((candidate) => support(question, terms, candidate))
  const evidence = gatherEvidence(question, terms, supported)
  const refusal = refusalReason(question, task.passages, evidence)
  if (refusal !== null) return `${NO_ANSWER} ${refusal}`
  const verdict = verdictOn(question, candidates)
  if (verdict === null) return evidence.sentences.map(closed).join(' ')
  return [`${verdict.word}.`, ...verdict.sentences.map(closed)].join(' ')
}
