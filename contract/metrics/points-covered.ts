import type { Metric } from './metric.ts'

const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns true when a text mentions a phrase as whole words, whatever the case and punctuation. */
const mentions = (text: string, phrase: string): boolean =>
  ` ${words(text).join(' ')} `.includes(` ${words(phrase).join(' ')} `)

/** The points of which a text mentions an accepted spelling. */
export const pointsIn = (text: string, keys: readonly (readonly string[])[]): (readonly string[])[] =>
  keys.filter((spellings) => spellings.some((spelling) => mentions(text, spelling)))

/** Share of the required points that an answer mentions; none where it names a forbidden answer, because it then leaves open which one it means. */
export function shareOfKeys(
  answer: string,
  keys: readonly (readonly string[])[],
  forbidden: readonly string[] = [],
): number {
  return forbidden.some((name) => mentions(answer, name)) ? 0 : pointsIn(answer, keys).length / keys.length
}

export const pointsCovered = {
  id: 'points_covered',
  label: 'points covered',
  definition:
    'share of the points asked for that an answer mentions, and 0 where it names an answer that the question declares as wrong; 0 to 1, higher is better, no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['answer_keys'],
  unit: 'score',
  ranking: 'always',
  primary: 2,
  ahead: (amount: string) => `covers ${amount} more of the required points`,
  extremes: { best: 'Every approach covered every point', worst: 'No approach covered any point' },
  report: { place: 2, parts: ['findings', 'board', 'pairs', 'hops', 'terminal'] },
  score: ({ answer, answerKeys, forbidden }) => shareOfKeys(answer, answerKeys, forbidden),
} as const satisfies Metric
