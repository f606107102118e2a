import type { Metric } from './metric.ts'

/** Python's `string.punctuation`, which SQuAD's script removes: the signs of ASCII and no others. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g
/** Articles between the borders that Python's `\b` sees, which knows the letters of all scripts. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu

/** Tokens as `normalize_answer` of SQuAD's script returns them: lower case, no punctuation, no articles, split at white space. */
const squadTokens = (text: string): string[] =>
  text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ').split(/\s+/).filter(Boolean)

/**
 * F1 over tokens as multisets, as SQuAD's evaluation script 2.0 computes it (Rajpurkar et al. 2016, 2018). A text without any token
 * agrees only with another one.
 */
export function tokenF1Of(answer: string, reference: string): number {
  const given = squadTokens(answer)
  const wanted = squadTokens(reference)
  if (given.length === 0 || wanted.length === 0) return given.length === wanted.length ? 1 : 0
  const left = new Map<string, number>()
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of given) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    shared += 1
    left.set(word, count - 1)
  }
  return shared === 0 ? 0 : (2 * shared) / (given.length + wanted.length)
}

export const tokenF1 = {
  id: 'token_f1',
  label: 'token F1',
  definition:
    "overlap of an answer's words with those of the ground truth, as SQuAD's evaluation script computes it; 0 to 1, higher is better, no model is asked",
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth'],
  unit: 'score',
  ranking: 'always',
  primary: 3,
  report: { place: 10, parts: [] },
  score: ({ answer, groundTruth }) => tokenF1Of(answer, groundTruth),
} as const satisfies Metric
