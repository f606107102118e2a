import type { AnswerScores, RowQuestion } from '../../contract/index.ts'

const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Python's `string.punctuation`, which SQuAD's script removes: the signs of ASCII and no others. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g
/** Articles between the borders that Python's `\b` sees, which knows the letters of all scripts. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:an?|the)(?![\p{L}\p{N}_])/gu

/** Tokens as `normalize_answer` of SQuAD's script gives them: lower case, no punctuation, no articles, split at white space. */
const squadTokens = (text: string): string[] =>
  text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ').split(/\s+/).filter(Boolean)

/** Ways to say that the question cannot be answered from what was given. */
const REFUSALS = [
  /\b(?:do|does|did|is|are|was|were|can|could|has|have)(?: not|n['’]t|not)\b.{0,60}\b(?:answer|say|state|mention|tell|specif\w+|contain|include|provide|give|indicate|describe|determin\w+|find|known?|available|found)\b/i,
  /\b(?:no|not enough|insufficient) (?:information|evidence|mention|answer|record|indication|data)\b/i,
  /\b(?:unable to|cannot be|can['’]t be|not possible to) (?:answer|determine|find|say|established?|answered|determined)\b/i,
  /\bnot (?:stated|mentioned|given|known|specified|disclosed|recorded|available)\b/i,
]

/** Whether an answer says that it cannot answer. Looks at its first two sentences: a refusal stands in front. */
export function isRefusal(answer: string): boolean {
  const start = answer
    .split(/(?<=[.!?])\s+/)
    .slice(0, 2)
    .join(' ')
    .slice(0, 400)
  return REFUSALS.some((pattern) => pattern.test(start))
}

/**
 * F1 over tokens as multisets, as SQuAD's evaluation script 2.0 computes it (Rajpurkar et al. 2016, 2018). A text without any token
 * agrees only with another one.
 */
export function tokenF1(answer: string, reference: string): number {
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

/** Whether a text mentions a phrase as whole words, whatever the case and punctuation. */
function mentions(text: string, phrase: string): boolean {
  return ` ${words(text).join(' ')} `.includes(` ${words(phrase).join(' ')} `)
}

/** Share of the required points of which one accepted spelling occurs in the answer. */
export function keyCoverage(answer: string, keys: readonly (readonly string[])[]): number {
  const met = keys.filter((spellings) => spellings.some((spelling) => mentions(answer, spelling)))
  return met.length / keys.length
}

export const answerNotRun = (): AnswerScores => ({ status: 'not_run', scores: {}, reason: 'cell_failed' })

/** Scores an answer against what its question declares. A refusal of an answerable question covers nothing, whatever words it repeats. */
export function scoreAnswer(
  answer: string,
  question: Pick<RowQuestion, 'ground_truth' | 'answerable' | 'answer_keys'>,
): AnswerScores {
  if (!question.answerable) return { status: 'ok', scores: { abstention: isRefusal(answer) ? 1 : 0 }, reason: null }
  const scores: AnswerScores['scores'] = {}
  const refused = isRefusal(answer) && question.answer_keys.length > 0 && keyCoverage(answer, question.answer_keys) < 1
  if (question.ground_truth !== null) scores.token_f1 = refused ? 0 : tokenF1(answer, question.ground_truth)
  if (question.answer_keys.length > 0) scores.points_covered = refused ? 0 : keyCoverage(answer, question.answer_keys)
  if (Object.keys(scores).length === 0) return { status: 'not_evaluable', scores, reason: 'ground_truth_required' }
  return { status: 'ok', scores, reason: null }
}
