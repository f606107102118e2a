import { isCalendarWord } from './dates.ts'
import { commonBand } from './common-words.ts'
import { isEnglishWord } from './lexicon.ts'
import { typeOfNoun } from './name-words.ts'
import { isStopWord } from './stop-words.ts'
import { tokensOf } from './tokens.ts'
import type { Token } from './tokens.ts'

/** A proper name or code as it appears in a text. */
export type NameMention = { text: string; start: number; end: number }

/** Words of the longest run of capitals that is looked at as one name. */
const LONGEST_NAME = 12

/** Particles of surnames. */
const PARTICLES = new Set('de la le du da di del van von der den ten ter al el bin y'.split(' '))
/** What may be in lower case inside a title of plain words: "Letters from a Lightship". */
const TITLE_WORDS = new Set('of in on from at to for with and the a an over under'.split(' '))

const isCapitalized = (token: Token): boolean =>
  token.kind === 'code' ? /\p{Lu}/u.test(token.text) : token.kind === 'word' && /^\p{Lu}/u.test(token.text)

/** What may be between two parts of a name; a period only after an initial or a short title. */
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
  let at = 0
  while (at < tokens.length) {
    if (!isCapitalized(tokens[at]!) || tokens[at]!.text === 'I') {
      at += 1
      continue
    }
    const from = at
    let to = at + 1
    while (to < tokens.length && to - from < LONGEST_NAME) {
      if (ownerEnds(tokens.slice(from, to), tokens[to]!)) break
      if (!gapAllows(tokens[to - 1]!, text.slice(tokens[to - 1]!.end, tokens[to]!.start))) break
      if (isCapitalized(tokens[to]!)) {
        if (isComplete(tokens.slice(from, to), tokens[to]!)) break
        to += 1
        continue
      }
      const after = innerEnd(text, tokens, from, to)
      if (after === null) break
      to = after + 1
    }
    const mention = trimmed(text, tokens.slice(from, to))
    if (mention !== null) mentions.push(mention)
    at = to
  }
  return mentions
}

/** Irregular plurals and people by their work: what a house or a book is for ("Women's Hospital"), and no one's surname. */
const OWNING_NOUN = /^(?:children|women|men|people|fishermen|seamen|workmen|nobody|everyone)['’]s$/i

/**
 * True when a run ends in a possessive that owns what follows: "Aldous Wren's CK-9", but "St Olave's Hospital", "Bergen Children's Clinic"
 * and "The Handmaid's Tale".
 */
function ownerEnds(run: readonly Token[], next: Token): boolean {
  const last = run.at(-1)!.text
  if (!/['’]s$/.test(last)) return false
  if (next.kind === 'code') return true
  if (OWNING_NOUN.test(last)) return false
  const isTitle = run.length === 2 && run[0]!.text === 'The' && isEnglishWord(run[1]!.norm.replace(/['’]s$/, ''))
  return run.length > 1 && !isTitle && !/^(?:st|saint)$/.test(run[0]!.norm)
}

const isPlainWord = (token: Token | undefined): boolean => token?.kind === 'word' && isEnglishWord(token.norm)

/** True when lower-case words join what comes before and after them into one name. */
function joinsName(run: readonly Token[], inner: readonly Token[], next: Token, following: Token | undefined): boolean {
  const before = run.at(-1)!
  const [first] = inner
  if (inner.every((token) => PARTICLES.has(token.norm))) return true
  if (!inner.every((token) => TITLE_WORDS.has(token.norm))) return false
  const head = typeOfNoun(before.text)
  // "Bank of Leith", "Society for the Blind"; but two names in "Ann Lee of Bern".
  if (first!.norm === 'of' && head !== null) return true
  if (first!.norm === 'for' && head === 'organization') return true
  if (!isPlainWord(before) || !isPlainWord(next) || isCalendarWord(next.norm)) return false
  if (first!.norm === 'and') return joinsByAnd(run, next, following)
  // "The Cold Floor of the Sea", "On the Ages of Herring": capitals on plain words make a title.
  if (first!.norm === 'the') return isStopWord(before.norm)
  // "Dust in the Galleries", but not "the Hall Report in Leith".
  const mayBePlace = /^(?:in|at|to|with|over|under)$/.test(first!.norm)
  return (head === null || head === 'publication') && (!mayBePlace || run.length === 1)
}

/** "Committee for Mines and Rivers", "Lights and Beacons Commission"; elsewhere "and" joins two names. */
function joinsByAnd(run: readonly Token[], next: Token, following: Token | undefined): boolean {
  const continues = following !== undefined && isCapitalized(following)
  const words = run.filter((token) => !/^the$/i.test(token.text))
  const hasHead = run.slice(0, -1).some((token) => typeOfNoun(token.text) === 'organization')
  if (hasHead) return !continues
  return (
    words.length === 1 &&
    continues &&
    typeOfNoun(following.text) === 'organization' &&
    typeOfNoun(next.text) !== 'person'
  )
}

/** Index of the capitalized token after one or two inner words at `at`, or null. */
function innerEnd(text: string, tokens: readonly Token[], from: number, at: number): number | null {
  for (let end = at; end < Math.min(at + 2, tokens.length - 1); end += 1) {
    const token = tokens[end]!
    const next = tokens[end + 1]!
    if (token.kind !== 'word' || text.slice(token.end, next.start) !== ' ') return null
    if (!isCapitalized(next)) continue
    const following = text[next.end] === ' ' ? tokens[end + 2] : undefined
    const run = tokens.slice(from, at)
    const isOpener = run.length === 1 && opensSentence(text, run[0]!) && typeOfNoun(run[0]!.text) === null
    return !isOpener && joinsName(run, tokens.slice(at, end + 1), next, following) ? end + 1 : null
  }
  return null
}

/** True when a run is a whole name already and a name of another kind follows: "In the Lucy Storm Reed drowned". */
function isComplete(run: readonly Token[], next: Token): boolean {
  if (run.length < 2 || run.some((token) => !isCapitalized(token)) || next.kind !== 'word') return false
  if (isEnglishWord(next.norm) || typeOfNoun(next.text) !== null) return false
  const head = typeOfNoun(run.at(-1)!.text)
  return head !== null && head !== 'person' && isEnglishWord(run.at(-1)!.norm)
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
