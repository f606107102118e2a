import { isEnglishWord } from '../language/lexicon.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import type { TaggedToken } from '../language/part-of-speech.ts'

/** Two things that a question asks to choose from, as it writes them, without articles. */
export type Choice = readonly [string, string]

const AUXILIARY =
  /^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|should|would|will|may|must|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|don['’]t|doesn['’]t|didn['’]t)\b/i

/** True of a question that "yes" or "no" answers, by its first word. */
export const asksYesOrNo = (text: string): boolean => AUXILIARY.test(text.trim())

/** Words beside "or" that do not offer a choice: "two or more", "or not", "or so". */
const NO_OPTION = new Set([
  'more',
  'less',
  'fewer',
  'not',
  'so',
  'even',
  'later',
  'earlier',
  'older',
  'younger',
  'above',
])
const NOMINAL = new Set(['NOUN', 'PROPN', 'NUM', 'ADJ', 'X'])
/** Words inside a name of several words: "Sense and Sensibility" stays with its option. */
const INNER = /^(?:of|de|la|le|von|van|al|v|['’]s?|-|&)$/i
const ARTICLE = /^(?:the|an?|either|both|whether)$/i

const isPart = (token: TaggedToken | undefined): boolean => token !== undefined && NOMINAL.has(token.pos)

/** The noun phrase that ends before `at`, as the range of its tokens; empty when there is none. */
function phraseBefore(tokens: readonly TaggedToken[], at: number): [number, number] {
  let from = at
  while (from > 0 && (isPart(tokens[from - 1]) || (INNER.test(tokens[from - 1]!.text) && isPart(tokens[from - 2]))))
    from -= 1
  return [from, at]
}

function phraseAfter(tokens: readonly TaggedToken[], at: number): [number, number] {
  let from = at
  while (ARTICLE.test(tokens[from]?.text ?? '')) from += 1
  let to = from
  while (
    to < tokens.length &&
    (isPart(tokens[to]) || (to > from && INNER.test(tokens[to]!.text) && isPart(tokens[to + 1])))
  )
    to += 1
  return [from, to]
}

const textOf = (text: string, tokens: readonly TaggedToken[], [from, to]: readonly [number, number]): string =>
  text.slice(tokens[from]!.start, tokens[to - 1]!.end)

const isCapital = (token: TaggedToken | undefined): boolean => /^[\p{Lu}\d]/u.test(token?.text ?? '')

/** A lower-case word of no English dictionary goes on with the name before it: "Apis florea". */
export const isForeign = (word: string): boolean => /^\p{Ll}{3,}$/u.test(word) && !isEnglishWord(word)

/** Drops what follows a capitalized option in lower case ("Ibuprofen safer"), and what precedes one ("Was Sony"). */
function nameOnly(tokens: readonly TaggedToken[], [from, to]: [number, number], keepsEnd: boolean): [number, number] {
  if (keepsEnd ? !isCapital(tokens[to - 1]) : !isCapital(tokens[from])) return [from, to]
  if (keepsEnd) {
    let start = to - 1
    while (start > from && (isCapital(tokens[start - 1]) || INNER.test(tokens[start - 1]!.text))) start -= 1
    if (start === 0 && to - start > 1) start = 1
    return [start, to]
  }
  let end = from + 1
  while (end < to && (isCapital(tokens[end]) || INNER.test(tokens[end]!.text) || isForeign(tokens[end]!.text))) end += 1
  return [from, end]
}

/** What "X or Y" in a question, or "between X and Y", offers to choose from; null when it offers nothing. */
export function choiceOf(text: string): Choice | null {
  const tokens = taggedTokens(text)
  const lower = tokens.map((token) => token.text.toLowerCase())
  for (let at = 1; at < tokens.length - 1; at += 1) {
    const isBetween = lower[at] === 'and' && lower.slice(0, at).includes('between')
    if (lower[at] !== 'or' && !isBetween) continue
    if (NO_OPTION.has(lower[at + 1]!)) continue
    // A comma before "or" ends a list or the clause: "Is it X, or is it Y?" repeats the verb and is no pair of nouns.
    const first = nameOnly(tokens, phraseBefore(tokens, at), true)
    const second = nameOnly(tokens, phraseAfter(tokens, at + 1), false)
    if (first[0] === first[1] || second[0] === second[1]) continue
    if (!isBetween && !offersChoice(text, lower)) continue
    if (isBetween && !/\b(?:which|who|what is the difference|differences? between)\b/i.test(text)) continue
    return [textOf(text, tokens, first), textOf(text, tokens, second)]
  }
  return null
}

/** An "or" chooses in a question for yes or no, after "which" or "who", or at the end after a comma. */
const offersChoice = (text: string, lower: readonly string[]): boolean =>
  asksYesOrNo(text) || /^(?:which|who|what|whose)$/.test(lower[0]!) || /,[^,?]* or [^,?]*\?/i.test(text)

const COMPARES =
  /\b(?:compare[ds]?|comparison|versus|vs|respective(?:ly)?|whereas|of the two|differences? (?:is there )?between|differences? in\b.*\band\b|differ(?:s|ed|ent|ently)? from|how (?:do|does|did) .+ differ|the difference (?:small|large|big))\b/i
/** "longer than the Amazon", "more than Peru"; not "older than 18". */
const THAN =
  /\b(?:more|less|fewer|better|worse|rather|\p{L}{2,}er|\p{L}{2,}ier)\b[^,?]{0,40}?\bthan\s+(?!\d|how\b|one\b|two\b|half\b|expected\b|usual\b)/iu
const BOTH = /\bboth\b(?=.*\band\b)|\band\b.*\bboth\b|\bboth of\b/i
const SAME = /\band\b.*\b(?:the same|different|identical|equally)\b|\bas \p{L}+ as\b/iu
/** Two names joined in a question for yes or no: "Did Ada and Ben meet?". */
const TWO_NAMES = /^\p{L}+ (?:the )?\p{Lu}[^,?]*? and (?:the )?\p{Lu}/u
/** An event of one named thing before or after that of another. */
const ORDER = /\b(?:before|after|earlier|later|sooner)\b(?: than)? (?:the )?\p{Lu}/u

/** True when a question asks to compare things, to choose from them, or whether something holds for two named things. */
export const isComparison = (text: string): boolean =>
  COMPARES.test(text) ||
  THAN.test(text) ||
  BOTH.test(text) ||
  choiceOf(text) !== null ||
  (asksYesOrNo(text) && (SAME.test(text) || TWO_NAMES.test(text) || ORDER.test(text)))
