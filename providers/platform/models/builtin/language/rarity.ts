import type { TermStatistics } from '../../model-host.ts'
import { commonWords } from './common-words.ts'
import { memoized } from './memo.ts'
import { rootOfWord } from './roots.ts'
import { isStopWord } from './stop-words.ts'
import { normalizeWord, type Token } from './tokens.ts'

/** Weight of the words of each band of everyday English. */
const BAND_WEIGHT = [0.4, 0.53, 0.66] as const

const UNLISTED_WORD = 0.85
const LONGEST_BONUS = 0.35
const CODE = 1.6
const SMALL_NUMBER = 0.6
const NUMBER = 1.1

let bandOfRoot: Map<string, number> | null = null

/** Inflections and derivations of an everyday word are everyday words too. */
function everydayWeight(norm: string): number | null {
  if (bandOfRoot === null) {
    bandOfRoot = new Map()
    for (const [word, band] of commonWords()) {
      const root = rootOfWord(word)
      if (!bandOfRoot.has(root)) bandOfRoot.set(root, band)
    }
  }
  const band = bandOfRoot.get(rootOfWord(norm))
  return band === undefined ? null : BAND_WEIGHT[band]!
}

const wordRarity = memoized(20_000, (norm) => {
  if (isStopWord(norm)) return 0
  if (norm.length === 1) return 0.3
  const everyday = everydayWeight(norm)
  if (everyday !== null) return everyday
  // Longer words are rarer on the whole; beyond a dozen letters that makes no difference.
  return UNLISTED_WORD + LONGEST_BONUS * Math.min(1, Math.max(0, norm.length - 4) / 8)
})

/**
 * Returns how informative a token is, 0 (grammar) to 1.6 (a code): an idf that needs no corpus, from a list of everyday words and
 * the token's shape.
 */
export function rarity(token: Token): number {
  switch (token.kind) {
    case 'code':
      return CODE
    case 'number':
      return token.norm.length < 3 ? SMALL_NUMBER : NUMBER
    case 'word':
      return wordRarity(token.norm)
  }
}

/** The weight of a term by its normal form in a collection: the inverse document frequency of BM25; by its rarity where it is not counted. */
export function termWeights({ passages, holding }: TermStatistics): (norm: string, rarity: number) => number {
  const counts = new Map([...holding].map(([word, count]) => [normalizeWord(word), count]))
  return (norm, everyday) => {
    const count = counts.get(norm)
    return count === undefined
      ? everyday * Math.log(1 + passages)
      : Math.log(1 + (passages - count + 0.5) / (count + 0.5))
  }
}
