import type { BlindVote } from '../../../contract/control/judging.ts'

/** A vote that may lack grades. */
export type Draft = Pick<BlindVote, 'scores' | 'best' | 'note'>

export const EMPTY_DRAFT: Draft = { scores: {}, best: null, note: '' }

/** Letters of a set that have no grade yet, in their order. */
export const withoutGrade = (letters: readonly string[], { scores }: Draft): string[] =>
  letters.filter((letter) => scores[letter] === undefined)

/** Returns true when two drafts have the same content. */
export const isSameDraft = (a: Draft, b: Draft): boolean =>
  a.best === b.best &&
  a.note === b.note &&
  Object.keys(a.scores).length === Object.keys(b.scores).length &&
  Object.entries(a.scores).every(([letter, grade]) => b.scores[letter] === grade)

export const withGrade = (draft: Draft, letter: string, grade: number): Draft => ({
  ...draft,
  scores: { ...draft.scores, [letter]: grade },
})

/** Marks the best answer, or takes the mark off again. */
export const withBest = (draft: Draft, letter: string): Draft => ({
  ...draft,
  best: draft.best === letter ? null : letter,
})

/**
 * Returns where the cursor goes after a grade: to the next answer without one, from the last to the first; when all have one, to the highest grade,
 * so that it can be marked best at once, unless several share it.
 */
export function afterGrade(letters: readonly string[], draft: Draft, graded: string): string {
  const place = letters.indexOf(graded)
  const open = withoutGrade(letters, draft)
  const next = open.find((letter) => letters.indexOf(letter) > place) ?? open[0]
  if (next !== undefined) return next
  const highest = Math.max(...letters.map((letter) => draft.scores[letter]!))
  const top = letters.filter((letter) => draft.scores[letter] === highest)
  return top.length === 1 ? top[0]! : graded
}

/** The letter `steps` further on; stays at the ends. */
export const moved = (letters: readonly string[], from: string, steps: number): string =>
  letters[Math.min(letters.length - 1, Math.max(0, letters.indexOf(from) + steps))]!
