import { memoized } from './memo.ts'

/**
 * A word, a number, or a code: letters and digits that belong together, such as `A-1204`, `Q77.001` or `7.4.2`.
 * `norm` is what equal tokens share: lower case without accents and possessive, numbers without grouping commas.
 * Offsets in UTF-16 units.
 */
export type Token = {
  text: string
  norm: string
  kind: 'word' | 'number' | 'code'
  start: number
  end: number
}

const COMPOUND =
  /[\p{L}\p{M}\p{N}]+(?:(?:(?<=\d)[.,:](?=\d)|(?<=\p{L})['’](?=\p{L})|[-‐‑_/](?=[\p{L}\p{N}])|\.(?=[\p{L}\p{N}]))[\p{L}\p{M}\p{N}]+)*/gu

const PIECE = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu
const NUMBER = /^\d+(?:,\d{3})*(?:\.\d+)?$/
const CLOCK_TIME = /^\d{1,2}:\d{2}(?::\d{2})?$/
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/i
const DECADE = /^\d{3,4}s$/
const YEAR_RANGE = /^\d{4}-\d{2,4}$/
const WITH_UNIT = /^(\d+(?:[.,]\d+)*)(mm|cm|km|kg|mg|kb|mb|gb|tb|kW|MW|Hz|kHz|MHz|GHz|ml|ms|ft|am|pm|[mgtlshVWAKN])$/
const DOTTED_LETTERS = /^(?:\p{L}\.)+\p{L}$/u

const foldAccents = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '')

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false
  return true
}

/** Lower case, plain hyphen and apostrophe, no accents, no possessive ending. */
export function normalizeWord(word: string): string {
  const lower = word.toLowerCase()
  const folded = isAscii(lower) ? lower : foldAccents(lower).replace(/[‐‑]/g, '-').replace(/’/g, "'")
  return folded.endsWith("'s") ? folded.slice(0, -2) : folded
}

/** A compound such as `32-bit` or `ninety-day` is words, `QX-310B` and `23-09` are one code. */
function isCode(compound: string): boolean {
  if (!/\d/.test(compound) || YEAR_RANGE.test(compound)) return false
  const parts = compound.split(/[-_/]/)
  const spelledOut = parts.some((part) => /^\p{Ll}{3,}$/u.test(part))
  if (spelledOut && parts.some((part) => NUMBER.test(part))) return false
  return /\p{L}/u.test(compound) || parts.length > 1 || /\d\.\d+\.\d/.test(compound)
}

function numberNorm(text: string): string | null {
  if (NUMBER.test(text)) return text.replaceAll(',', '')
  if (CLOCK_TIME.test(text) || DECADE.test(text)) return text
  return ORDINAL.exec(text)?.[1] ?? null
}

function* tokensOfCompound(text: string, start: number): Generator<Token> {
  const plain = text.replace(/[‐‑]/g, '-')
  const number = numberNorm(plain)
  const end = start + text.length
  if (number !== null) {
    yield { text, norm: number, kind: 'number', start, end }
    return
  }
  const withUnit = WITH_UNIT.exec(plain)
  if (withUnit) {
    const unitStart = end - withUnit[2]!.length
    yield { text: withUnit[1]!, norm: withUnit[1]!.replaceAll(',', ''), kind: 'number', start, end: unitStart }
    yield { text: withUnit[2]!, norm: withUnit[2]!.toLowerCase(), kind: 'word', start: unitStart, end }
    return
  }
  if (isCode(plain)) {
    yield { text, norm: normalizeWord(text), kind: 'code', start, end }
    return
  }
  if (DOTTED_LETTERS.test(plain)) {
    yield { text, norm: normalizeWord(plain.replaceAll('.', '')), kind: 'word', start, end }
    return
  }
  for (const piece of text.matchAll(PIECE)) {
    const pieceStart = start + piece.index
    const asNumber = numberNorm(piece[0])
    const shared = { text: piece[0], start: pieceStart, end: pieceStart + piece[0].length }
    if (asNumber === null) yield { ...shared, norm: normalizeWord(piece[0]), kind: 'word' }
    else yield { ...shared, norm: asNumber, kind: 'number' }
  }
}

const tokenize = (text: string): readonly Token[] =>
  [...text.matchAll(COMPOUND)].flatMap((match) => [...tokensOfCompound(match[0], match.index)])

const LONGEST_KEPT = 600
const tokensOfSentence = memoized(1024, tokenize)

/** The tokens of a text in order. Those of recent sentences are kept, because every stage looks at the same ones. */
export function tokensOf(text: string): readonly Token[] {
  return text.length > LONGEST_KEPT ? tokenize(text) : tokensOfSentence(text)
}
