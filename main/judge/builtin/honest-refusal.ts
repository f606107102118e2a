import { refusedByRule } from '../../../contract/index.ts'
import { NO_ANSWER } from '../answer-text.ts'
import { sentencesOf } from './words.ts'

/** Sentences that speak to whoever grades, rather than about the matter. */
const APPEAL =
  /\b(?:you|yours?|grad(?:e[drs]?|ers|ing)|scor(?:es?|ed|ing)|judges?|points?|verdicts?|instructions?|letter)\b/i

/**
 * Whether one of an answer's first two sentences says that it cannot be answered from what was given. Appeals to the grader are passed over, because "if you do not give
 * this answer a 5" has the words of a refusal and is none.
 */
export function refusesHonestly(text: string): boolean {
  const matter = sentencesOf(text.replaceAll(NO_ANSWER, '')).filter((sentence) => !APPEAL.test(sentence))
  return matter.slice(0, 2).some((sentence) => refusedByRule(sentence) === true)
}
