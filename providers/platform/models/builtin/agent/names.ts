import { isStopWord } from '../language/stop-words.ts'
import { tokensOf } from '../language/tokens.ts'

/** A name's words in normal form, grammar left out where anything else is left. */
export function nameKey(name: string): string[] {
  const words = tokensOf(name).map((token) => token.norm)
  const content = words.filter((word) => !isStopWord(word))
  return content.length > 0 ? content : words
}

const SURE = { whole: 1, severalWords: 0.9, oneWord: 0.6 } as const

/** Returns how surely two names mean the same thing, 0 to 1: one has to be the other, or its start or end ("Reed" for "Ann Reed"). */
export function sameName(a: readonly string[], b: readonly string[]): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short.length === 0) return 0
  const opens = short.every((word, at) => word === long[at])
  const ends = short.every((word, at) => word === long[long.length - short.length + at])
  if (!opens && !ends) return 0
  if (short.length === long.length) return SURE.whole
  return short.length > 1 ? SURE.severalWords : SURE.oneWord
}
