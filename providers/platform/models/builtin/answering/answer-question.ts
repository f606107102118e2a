import { NO_ANSWER } from '../../prompts/answer-task.ts'
import type { AnswerTask } from '../../prompts/answer-task.ts'
import { analyseQuestion } from '../matching/question.ts'
import { candidateSentences } from './candidates.ts'
import type { Candidate } from './candidates.ts'
import { gatherEvidence } from './evidence.ts'
import { refusalReason } from './refusal.ts'
import { support, weighTerms } from './support.ts'

const closed = ({ text }: Candidate): string => (/[.!?…:;"”’')\]]$/.test(text) ? text : `${text}.`)

/**
 * Answers a question with one to four sentences of the passages, word for word but for Markdown marks and white space
 * and a period behind table rows, or with NO_ANSWER and what is missing when they do not support an answer.
 */
export function answerQuestion(task: AnswerTask): string {
  const question = analyseQuestion(task.question)
  const candidates = candidateSentences(task.passages)
  const terms = weighTerms(question, candidates)
  const supported = candidates.map((candidate) => support(question, terms, candidate))
  const evidence = gatherEvidence(question, terms, supported)
  const refusal = refusalReason(question, task.passages, evidence)
  return refusal === null ? evidence.sentences.map(closed).join(' ') : `${NO_ANSWER} ${refusal}`
}
