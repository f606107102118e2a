import { commonBand } from './common-words.ts'
import { isEnglishWord } from './lexicon.ts'
import { typeOfNoun } from './name-words.ts'
import { isCalendarWord, isStopWord } from './stop-words.ts'
import { tokensOf } from './tokens.ts'
import type { Token } from './tokens.ts'

/** A proper name or code as it appears in a text. */
export type NameMention = { text: string; start: number; end: number }

/** Words of the longest run of capitals that is looked at as one name. */
const LONGEST_NAME = 12

/** Particles of surnames. */
const PARTICLES = new Set('de la le du da di del van von der den ten ter al el bin y'.split(' '))

const isCapitalized = (token: Token): boolean =>
  token.kind === 'code' ? /\p{Lu}/u.test(token.text) : token.kind === 'word' && /^\p{Lu}/u.test(token.text)

/** Returns true for what may be between two parts of a name; a period only after an initial or a short title. */
const gapAllows = (previous: Token, gap: string): boolean =>
  /^(?:[ \u00a0]|-| & |'|’)$/.test(gap) ||
  (/^\. ?$/.test(gap) && /^(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Mt|Prof|Capt|Lt|Col)$/u.test(previous.text))

/** True when the token opens a sentence, a quotation or a line. */
const opensSentence = (text: string, token: Token): boolean => {
  const before = text.slice(Math.max(0, token.start - 8), token.start).trimEnd()
  return (before === '' && token.start < 8) || /[.!?:…"“‘(\n]$/.test(before)
}

/** A capital at the start of a sentence shows nothing about a word that is not a name elsewhere. */
const isMereOpener = (text: string, token: Token, alone: boolean): boolean => {
  if (token.kind !== 'word' || !opensSentence(text, token)) return false
  if (isStopWord(token.norm)) return true
  if (!alone || /^\p{Lu}{2,}$/u.test(token.text)) return false
  return commonBand(token.norm) !== null || isEnglishWord(token.norm)
}

/** The names in a plain text: runs of capitalized words with what joins them, and codes. Dates are left out. */
export function namesOf(text: string): NameMention[] {
  const tokens = tokensOf(text)
  const mentions: NameMention[] = []
  for (let at = 0; at < tokens.length;) {
    if (!isCapitalized(tokens[at]!) || tokens[at]!.text === 'I') {
      at += 1
      continue
    }
    const to = runEnd(text, tokens, at)
    const mention = trimmed(text, tokens.slice(at, to))
    if (mention !== null) mentions.push(mention)
    at = to
  }
  return mentions
}

/** Index after the last token of the run of capitals that starts at `from`. */
function runEnd(text: string, tokens: readonly Token[], from: number): number {
  let to = from + 1
  while (to < tokens.length && to - from < LONGEST_NAME) {
    const [last, next] = [tokens[to - 1]!, tokens[to]!]
    if (!gapAllows(last, text.slice(last.end, next.start)) || owns(tokens.slice(from, to), next)) break
    if (isCapitalized(next)) to += 1
    else {
      const inner = innerWords(text, tokens, from, to)
      if (inner === 0) break
      to += inner + 1
    }
  }
  return to
}

/** "Peter Marsh's QX-7" is two names; "St Olave's Hospital" and "Bergen Children's Clinic" are one each. */
const owns = (run: readonly Token[], next: Token): boolean => /['’]s$/.test(run.at(-1)!.text) && next.kind === 'code'

/** Returns how many lower-case words at `at` join a name with the capital after them: "van der Meer", "Bank of Leith", "Tales of the City". */
function innerWords(text: string, tokens: readonly Token[], from: number, at: number): number {
  const next = tokens.findIndex((token, index) => index > at && isCapitalized(token))
  const inner = tokens.slice(at, next)
  if (next === -1 || inner.length > 2 || /[^\p{L}\p{N} ]/u.test(text.slice(tokens[at]!.start, tokens[next]!.start)))
    return 0
  if (inner.every(({ norm }) => PARTICLES.has(norm))) return inner.length
  if (inner.some(({ norm }) => !['of', 'for', 'the'].includes(norm))) return 0
  const [run, before] = [tokens.slice(from, at), tokens[at - 1]!]
  const head = typeOfNoun(before.text)
  if (head !== null)
    return head === 'person' || (inner[0]!.norm === 'for' && head !== 'organization') ? 0 : inner.length
  // Capitals on plain words make a title, but "Murder of …" may only open a sentence.
  const isPlain = ({ kind, norm }: Token): boolean => kind === 'word' && isEnglishWord(norm) && !isCalendarWord(norm)
  const isOpener = run.length === 1 && opensSentence(text, before)
  return !isOpener && isPlain(before) && isPlain(tokens[next]!) ? inner.length : 0
}

function trimmed(text: string, run: readonly Token[]): NameMention | null {
  let tokens = run
  while (tokens.length > 0 && isMereOpener(text, tokens[0]!, tokens.length === 1)) tokens = tokens.slice(1)
  // "The" opens many names, but is not part of what they share.
  while (tokens.length > 1 && (/^(?:the|a|an)$/i.test(tokens[0]!.text) || !isCapitalized(tokens[0]!)))
    tokens = tokens.slice(1)
  if (tokens.every((token) => isCalendarWord(token.norm) || isStopWord(token.norm))) return null
  const start = tokens[0]!.start
  let end = tokens.at(-1)!.end
  if (/['’]s$/.test(text.slice(start, end))) end -= 2
  return { text: text.slice(start, end), start, end }
}
