import type { Metric } from './metric.ts'

const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a text mentions a phrase as whole words, whatever the case and punctuation. */
const mentions = (text: string, phrase: string): boolean =>
  ` ${words(text).join(' ')} `.includes(` ${words(phrase).join(' ')} `)

/** Share of the required points of which one accepted spelling occurs in the answer. */
export function shareOfKeys(answer: string, keys: readonly (readonly string[])[]): number {
  const met = keys.filter((spellings) => spellings.some((spelling) => mentions(answer, spelling)))
  return met.length / keys.length
}

export const pointsCovered = {
  id: 'points_covered',
  label: 'points covered',
  definition: 'share of the required points that an answer mentions; 0 to 1, higher is better, no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['answer_keys'],
  unit: 'score',
  ranking: 'always',
  primary: 2,
  ahead: (amount: string) => `covers ${amount} more of the required points`,
  report: { place: 2, parts: ['findings', 'board', 'pairs', 'hops', 'terminal'] },
  score: ({ answer, answerKeys }) => shareOfKeys(answer, answerKeys),
} as const satisfies Metric
