// This is similar to closed-book question answering (arXiv 2002.08910). See docs/methods.md.
import type { Approach } from '../approach.ts'
import { answerFrom } from '../steps/generate.ts'

/** The data come in the blocks of the answer task, so that the rule-based answerer knows it and refuses. */
const PROMPT = [
  'Answer the question in <question> from what you know.',
  '- Be brief: one to four sentences of plain text, the answer first. No headings, no lists.',
  '- When you do not know the answer, reply with this sentence: {no_answer}',
  '  Do not guess.',
].join('\n')

/** The model that answers for the others, without a passage: what it knows by itself is no merit of a search. */
export const noRetrieval: Approach<'no-retrieval'> = (question, _parameters, services, signal) =>
  answerFrom(question, [], { ...services, promptChanges: { prompt: PROMPT } }, signal)
