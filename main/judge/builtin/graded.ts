import type { LetterVerdict, JudgeTask } from '../judge-client.ts'

/** What a built-in judge thinks of one answer: 0 to 1, and why. Depends on that answer alone, never on its place or its neighbours. */
export interface Opinion {
  merit: number
  reason: string
}

/** Merits from which the grades 2, 3, 4 and 5 are given. */
const STEPS = [0.15, 0.35, 0.55, 0.75]

/** The grade of a merit. */
export const gradeOf = (merit: number): number => 1 + STEPS.filter((step) => merit >= step).length

/**
 * Opinions → verdict. The best vote goes to the highest merit. Among equal merits it goes to nobody: with equal texts a vote would only tell
 * their places apart.
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
