import { ChunkingError } from './errors.ts'

/** Where the tokens of a text start and end, in order; blanks between tokens belong to none. */
export interface TokenSpans {
  starts: Uint32Array
  ends: Uint32Array
}

/**
 * Tokenizers that need no vocabulary file. words: a run of letters and digits (a longer run than 64 counts as several), one
 * ideograph or character of a script without spaces, or one mark. characters: one non-blank code point.
 */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  words:
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}]){1,64}|\S/gu,
  characters: /\S/gu,
}

/** The tokens of a text; throws `ChunkingError` for a tokenizer that is not here. */
export function tokenSpans(text: string, tokenizer: string): TokenSpans {
  const pattern = Object.hasOwn(PATTERNS, tokenizer) ? PATTERNS[tokenizer] : undefined
  if (pattern === undefined) {
    const known = Object.keys(PATTERNS).join(', ')
    throw new ChunkingError('unknown_tokenizer', `unknown tokenizer '${tokenizer}' (available: ${known})`)
  }
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(pattern)) {
    starts.push(match.index)
    ends.push(match.index + match[0].length)
  }
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) }
}

/** How many tokens lie, at least partly, between two offsets. */
export function countTokens(tokens: TokenSpans, from: number, to: number): number {
  return tokensStartingBefore(tokens, to) - tokensEndingBy(tokens, from)
}

/** Number of tokens that end at the offset or before it: the index of the first one that reaches past it. */
export const tokensEndingBy = (tokens: TokenSpans, offset: number): number => lowerBound(tokens.ends, offset + 1)

/** Number of tokens that start before the offset. */
export const tokensStartingBefore = (tokens: TokenSpans, offset: number): number => lowerBound(tokens.starts, offset)

function lowerBound(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
