import { refusedByRule, type AnswerScores, type Refusal, type RowQuestion } from '../../contract/index.ts'

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

/** Scores an answer against what its question declares. Whether it refuses is a state beside the scores and changes none of them. */
export function scoreAnswer(
  answer: string,
  question: Pick<RowQuestion, 'ground_truth' | 'answerable' | 'answer_keys'>,
): AnswerScores {
  const refusal: Refusal = { refused: refusedByRule(answer), decided_by: 'rule' }
  if (!question.answerable) return abstentionOf(refusal)
  const scores: AnswerScores['scores'] = {}
  if (question.ground_truth !== null) scores.token_f1 = tokenF1(answer, question.ground_truth)
  if (question.answer_keys.length > 0) scores.points_covered = keyCoverage(answer, question.answer_keys)
  const isScored = Object.keys(scores).length > 0
  return {
    status: isScored ? 'ok' : 'not_evaluable',
    scores,
    reason: isScored ? null : 'ground_truth_required',
    refusal,
  }
}

/** An unanswerable question is scored by nothing but whether its answer refuses. */
function abstentionOf(refusal: Refusal): AnswerScores {
  return refusal.refused === null
    ? { status: 'not_evaluable', scores: {}, reason: 'refusal_unknown', refusal }
    : { status: 'ok', scores: { abstention: refusal.refused ? 1 : 0 }, reason: null, refusal }
}

/** The scores when a language model has decided whether the answer refuses. */
export function withModelRefusal(scores: AnswerScores, refused: boolean, answerable: boolean): AnswerScores {
  const refusal: Refusal = { refused, decided_by: 'model' }
  return answerable ? { ...scores, refusal } : abstentionOf(refusal)
}
