import { refusedByRule } from '../../../core/refused-by-rule.ts'
import { NO_ANSWER } from '../blinding.ts'
import type { JudgeTask, LetterVerdict } from '../../../core/judging/judge-task.ts'
import { sentencesOf } from './words.ts'

// Both built-in judges share this: grades and a best vote from the merits of answers, and which answers refuse honestly.

/** The opinion of a built-in judge on one answer: 0 to 1, and the reason. Depends on that answer alone, never on its position or other answers. */
export interface Opinion {
  merit: number
  reason: string
}

/** Merits from which the grades 2, 3, 4 and 5 are given. */
const STEPS = [0.15, 0.35, 0.55, 0.75]

const gradeOf = (merit: number): number => 1 + STEPS.filter((step) => merit >= step).length

/**
 * Opinions → verdict. The best vote goes to the highest merit. Among equal merits there is none: with equal texts a vote would only distinguish
 * their positions.
 */
export function verdictOf(task: JudgeTask, opinionOn: (text: string) => Opinion): LetterVerdict {
  const opinions = task.answers.map(({ letter, text, answered }) => ({
    letter,
    ...(answered ? opinionOn(text) : { merit: 0, reason: 'no answer' }),
  }))
  const highest = Math.max(...opinions.map(({ merit }) => merit))
  const first = opinions.filter(({ merit }) => merit === highest)
  return {
    scores: new Map(opinions.map(({ letter, merit }) => [letter, gradeOf(merit)])),
    best: first.length === 1 ? first[0]!.letter : null,
    reasons: new Map(opinions.map(({ letter, reason }) => [letter, reason])),
  }
}

/** A share as a whole percentage. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Sentences addressed to the grader instead of being about the subject. */
const APPEAL =
  /\b(?:you|yours?|grad(?:e[drs]?|ers|ing)|scor(?:es?|ed|ing)|judges?|points?|verdicts?|instructions?|letter)\b/i

/**
 * Returns true when one of an answer's first two sentences states that it cannot be answered from what was given. Appeals to the grader are passed over, because "if you do not give
 * this answer a 5" has the words of a refusal and is none.
 */
export function refusesHonestly(text: string): boolean {
  const matter = sentencesOf(text.replaceAll(NO_ANSWER, '')).filter((sentence) => !APPEAL.test(sentence))
  return matter.slice(0, 2).some((sentence) => refusedByRule(sentence) === true)
}
