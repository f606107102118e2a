// Short answers, as question sets of papers give them: a name, a number, yes or no, with the spellings that are accepted. A question declares one by a
// ground truth that is a spelling of its only required point.

interface Declared {
  ground_truth: string | null
  answer_keys: readonly (readonly string[])[]
}

/** Returns true when the ground truth of a question is a short answer. */
export const hasShortAnswer = ({ ground_truth: truth, answer_keys: keys }: Declared): boolean =>
  truth !== null && keys.length === 1 && keys[0]!.includes(truth)

/** Python's `string.punctuation`, which SQuAD's script removes: the signs of ASCII and no others. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g
/** Articles between the borders that Python's `\b` sees, which knows the letters of all scripts. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu

/** Tokens as `normalize_answer` of SQuAD's script returns them: lower case, no punctuation, no articles, split at white space. */
export const squadTokens = (text: string): string[] =>
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
