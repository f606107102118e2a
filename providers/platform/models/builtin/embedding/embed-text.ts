import type { TermStatistics } from '../../model-host.ts'
import { conceptsOf } from '../language/concepts.ts'
import { hash32 } from '../language/hash.ts'
import { memoized } from '../language/memo.ts'
import { rarity, termWeights } from '../language/rarity.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import type { Token } from '../language/tokens.ts'

/** Dimensions of every built-in vector. */
export const EMBEDDING_DIMENSIONS = 768

/** Seeds of the hash, so that a word and an equal stem land in different places. */
const SEED = { word: 1, root: 2, gram: 3, concept: 4, empty: 5 } as const

/** Defines how much of a token's weight each kind of feature carries. */
const SHARE = { word: 0.2, root: 0.95, grams: 0.55, concepts: 0.45 } as const

/** Each feature is stored in this many places: two weaker collisions do less harm than one strong one. */
const PLACES = 2

const GRAM_SIZES = [3, 4, 5] as const
const LONGEST_WORD = 40

function characterGrams(norm: string): string[] {
  const padded = `^${norm.slice(0, LONGEST_WORD)}$`
  return GRAM_SIZES.flatMap((size) =>
    Array.from({ length: Math.max(0, padded.length - size + 1) }, (_, at) => padded.slice(at, at + size)),
  )
}

/** Set in a code unit of features whose weight is negative. */
const NEGATIVE = 0x8000

/**
 * The features of one token: how many grams and concepts it has, then the place of each feature in the vector, with its sign. A string,
 * because tens of thousands are kept: arrays of numbers of this length would each have a buffer outside the heap.
 */
function featuresOf(norm: string, root: string): string {
  const grams = characterGrams(norm)
  const concepts = conceptsOf(root)
  const codes = [grams.length, concepts.length]
  const add = (seed: number, text: string): void => {
    for (let copy = 0; copy < PLACES; copy += 1) {
      const hash = hash32(text, seed + 16 * copy)
      codes.push(((hash & 0x7fffffff) % EMBEDDING_DIMENSIONS) + (hash >>> 31 === 0 ? 0 : NEGATIVE))
    }
  }
  add(SEED.word, norm)
  add(SEED.root, root)
  for (const gram of grams) add(SEED.gram, gram)
  for (const ring of concepts) add(SEED.concept, String(ring))
  return String.fromCharCode(...codes)
}

/** Words repeat from text to text; the key holds both forms because codes are not stemmed. */
const keptFeatures = memoized(12_000, (key) => {
  const [norm, root] = key.split('\n')
  return featuresOf(norm!, root!)
})

/** Adds the features of a token with this weight. */
function addFeatures(sums: Float64Array, features: string, weight: number): void {
  const grams = features.charCodeAt(0)
  const concepts = features.charCodeAt(1)
  const shares = [
    [1, SHARE.word],
    [1, SHARE.root],
    [grams, SHARE.grams / Math.sqrt(grams)],
    [concepts, SHARE.concepts / Math.sqrt(concepts)],
  ] as const
  let at = 2
  for (const [count, share] of shares) {
    const part = weight * (share / Math.sqrt(PLACES))
    for (const end = at + count * PLACES; at < end; at += 1) {
      const code = features.charCodeAt(at)
      if (code < NEGATIVE) sums[code]! += part
      else sums[code - NEGATIVE]! -= part
    }
  }
}

/** One for all texts: none is embedded while another is. */
const sumsOfText = new Float64Array(EMBEDDING_DIMENSIONS)

/** The tokens by root, each with how often it occurs. */
function countRoots(tokens: readonly Token[]): Map<string, { token: Token; count: number }> {
  const counts = new Map<string, { token: Token; count: number }>()
  for (const token of tokens) {
    const root = rootOf(token)
    const seen = counts.get(root)
    if (seen) seen.count += 1
    else counts.set(root, { token, count: 1 })
  }
  return counts
}

/** |x|^0.75 with the sign of x: keeps a few heavy dimensions from ruling the cosine. */
const dampened = (x: number): number => {
  const root = Math.sqrt(Math.abs(x))
  return Math.sign(x) * root * Math.sqrt(root)
}

function unitLength(sums: Float64Array, text: string): Float32Array {
  let squares = 0
  for (const sum of sums) squares += sum * sum
  if (squares === 0) {
    // A text without tokens still needs a direction; equal texts share it.
    sums[hash32(text.trim(), SEED.empty) % EMBEDDING_DIMENSIONS] = 1
    squares = 1
  }
  const length = Math.sqrt(squares)
  // `Float32Array.from` with a function takes forty times as long.
  const unit = new Float32Array(sums.length)
  for (let at = 0; at < sums.length; at += 1) unit[at] = sums[at]! / length
  return unit
}

/** Rarity in everyday English, or in the collection: the inverse frequency of BM25, by which function words stay without weight. */
function tokenWeights(statistics: TermStatistics | undefined): (token: Token) => number {
  if (statistics === undefined) return rarity
  const weights = termWeights(statistics)
  return (token) => (rarity(token) === 0 ? 0 : weights(token.norm, rarity(token)))
}

/**
 * A text as a vector of 768 dimensions and unit length: signed feature hashing over words, roots, character 3- to
 * 5-grams and rings of synonyms. Rare words weigh more, repetitions less and less. Only exactly rounded operations are
 * used, so a document's vector is the same on every platform. A query's words weigh by the statistics of the collection that it is for: documents are
 * embedded before the whole collection is known, but a weight on one side of the product is enough.
 */
export function embedText(text: string, statistics?: TermStatistics): Float32Array {
  const weightOf = tokenWeights(statistics)
  const tokens = tokensOf(text)
  const sums = sumsOfText.fill(0)
  // A question made of grammar alone ("who is it?") is still embedded by its words.
  const onlyStopWords = tokens.every((token) => rarity(token) === 0)
  for (const [root, { token, count }] of countRoots(tokens)) {
    const weight = (onlyStopWords ? 0.1 : weightOf(token)) * Math.sqrt(count)
    if (weight === 0) continue
    addFeatures(sums, keptFeatures(`${token.norm}\n${root}`), weight)
  }
  for (let at = 0; at < sums.length; at += 1) sums[at] = dampened(sums[at]!)
  return unitLength(sums, text)
}
