import { LOG_BASE } from './trie-model.ts'
import type { TrieModel } from './trie-model.ts'
import { countNgrams } from './ngram-counts.ts'
import type { NgramCounts, Followers } from './ngram-counts.ts'

const linear = (value: number): number => Math.exp(value * LOG_BASE)
const logarithm = (value: number): number => Math.log(value) / LOG_BASE
/** Keeps a sum that quantised values carry a little over 1 from making a weight senseless. */
const LEAST_REST = 1e-6
/** In the place of an n-gram that the general model does not have. */
const ABSENT = -1

/**
 * The general model as it would be after reading `sentences`: Witten and Bell's smoothing (1991), where what they leave to the lower order goes to
 * the general model instead. After a context of `n` words with `t` different followers, `p(w) = (count + t·q) / (n + t)`, where q is the general model's
 * probability, or its back-off weight times the new probability after the shorter context. Contexts that the sentences do not have keep their n-grams. All
 * back-off weights are computed over the new shorter contexts, so that each context's probabilities add up to 1. New words get the numbers after the old ones.
 */
export function adaptModel(general: TrieModel, sentences: readonly (readonly string[])[]): TrieModel {
  const counts = countNgrams(general.words, sentences)
  const unigramProb = adaptUnigrams(general, counts)
  const bigrams = adaptBigrams(general, counts, unigramProb)
  const trigrams = adaptTrigrams(general, counts, bigrams)
  return {
    words: counts.words,
    unigrams: {
      prob: withEnd(unigramProb.map(logarithm)),
      backOff: withEnd(bigrams.contextWeights.map(logarithm)),
      next: bigrams.starts,
    },
    bigrams: {
      word: bigrams.word,
      prob: quantised(general.tables.bigramProb, bigrams.prob),
      backOff: quantised(general.tables.bigramBackOff, trigrams.contextWeights),
      next: trigrams.starts,
    },
    trigrams: { word: trigrams.word, prob: quantised(general.tables.trigramProb, trigrams.prob) },
    tables: general.tables,
  }
}

function adaptUnigrams(general: TrieModel, { words, unigrams, total }: NgramCounts): Float64Array {
  const own = Math.max(1, unigrams.size)
  return Float64Array.from(words, (_, word) => {
    const q = word < general.words.length ? linear(general.unigrams.prob[word]!) : 0
    return ((unigrams.get(word) ?? 0) + own * q) / (total + own)
  })
}

interface Level {
  word: Uint32Array
  prob: Float64Array
  /** Per n-gram of one word less, and one more: where its own begin. */
  starts: Uint32Array
  /** Per context of the order: its back-off weight. */
  contextWeights: Float64Array
}

/** Bigrams with the number that the general model has for each. */
type Bigrams = Level & { general: Int32Array }

/** Sums over the n-grams of each context that give its back-off weight. */
class Rests {
  readonly #said: Float64Array
  readonly #lower: Float64Array

  constructor(contexts: number) {
    this.#said = new Float64Array(contexts)
    this.#lower = new Float64Array(contexts)
  }

  add(context: number, prob: number, lowerProb: number): void {
    this.#said[context]! += prob
    this.#lower[context]! += lowerProb
  }

  weights(): Float64Array {
    return this.#said.map((said, i) => Math.max(LEAST_REST, 1 - said) / Math.max(LEAST_REST, 1 - this.#lower[i]!))
  }
}

function adaptBigrams(general: TrieModel, counts: NgramCounts, unigramProb: Float64Array): Bigrams {
  const probOf = general.tables.bigramProb.map(linear)
  const size = general.bigrams.word.length + counts.bigrams.size
  const level = { word: new Uint32Array(size), prob: new Float64Array(size), general: new Int32Array(size) }
  const starts = new Uint32Array(counts.words.length + 1)
  const rests = new Rests(counts.words.length)
  const own = sortedEntries(counts.bigrams, counts.words.length)
  const weights = bigramWeights(general, counts.words.length, probOf, unigramProb)
  let at = 0
  for (let last = 0, ownAt = 0; last < counts.words.length; last += 1) {
    starts[last] = at
    const isOld = last < general.words.length
    const end = isOld ? general.unigrams.next[last + 1]! : 0
    for (let old = isOld ? general.unigrams.next[last]! : 0; ;) {
      const oldWord = old < end ? general.bigrams.word[old]! : Infinity
      const ownWord = own.parents[ownAt] === last ? own.words[ownAt]! : Infinity
      const first = Math.min(oldWord, ownWord)
      if (first === Infinity) break
      const count = ownWord === first ? own.counts[ownAt++]! : 0
      const number = oldWord === first ? old++ : ABSENT
      const q = number === ABSENT ? weights[first]! * unigramProb[last]! : probOf[general.bigrams.prob[number]!]!
      const prob = smoothed(count, q, counts.afterOne.get(first))
      level.word[at] = first
      level.prob[at] = prob
      level.general[at] = number
      rests.add(first, prob, unigramProb[last]!)
      at += 1
    }
  }
  starts[counts.words.length] = at
  return {
    word: level.word.slice(0, at),
    prob: level.prob.slice(0, at),
    general: level.general.slice(0, at),
    starts,
    contextWeights: rests.weights(),
  }
}

/** The general bigrams' back-off weights over the new unigrams. */
function bigramWeights(
  general: TrieModel,
  words: number,
  probOf: Float32Array,
  unigramProb: Float64Array,
): Float64Array {
  const rests = new Rests(words)
  for (let last = 0; last < general.words.length; last += 1)
    for (let old = general.unigrams.next[last]!; old < general.unigrams.next[last + 1]!; old += 1)
      rests.add(general.bigrams.word[old]!, probOf[general.bigrams.prob[old]!]!, unigramProb[last]!)
  return rests.weights()
}

/** The general trigrams' back-off weights over the new bigrams. */
function trigramWeights(general: TrieModel, words: number, probOf: Float32Array, bigrams: Bigrams): Float64Array {
  const rests = new Rests(bigrams.word.length)
  for (let last = 0; last < words; last += 1) {
    for (let bigram = bigrams.starts[last]!; bigram < bigrams.starts[last + 1]!; bigram += 1) {
      const number = bigrams.general[bigram]!
      if (number === ABSENT) continue
      for (let old = general.bigrams.next[number]!; old < general.bigrams.next[number + 1]!; old += 1) {
        const context = contextOf(bigrams, general.trigrams.word[old]!, bigrams.word[bigram]!)
        if (context !== ABSENT) rests.add(context, probOf[general.trigrams.prob[old]!]!, bigrams.prob[bigram]!)
      }
    }
  }
  return rests.weights()
}

function contextOf({ word, starts }: Bigrams, first: number, middle: number): number {
  return find(word, starts[middle]!, starts[middle + 1]!, first)
}

function adaptTrigrams(general: TrieModel, counts: NgramCounts, bigrams: Bigrams): Level {
  const probOf = general.tables.trigramProb.map(linear)
  const vocabulary = counts.words.length
  const size = general.trigrams.word.length + counts.trigrams.size
  const level = { word: new Uint32Array(size), prob: new Float64Array(size) }
  const starts = new Uint32Array(bigrams.word.length + 1)
  const rests = new Rests(bigrams.word.length)
  const own = sortedEntries(counts.trigrams, vocabulary)
  const weights = trigramWeights(general, vocabulary, probOf, bigrams)
  let at = 0
  for (let last = 0, ownAt = 0; last < vocabulary; last += 1) {
    for (let bigram = bigrams.starts[last]!; bigram < bigrams.starts[last + 1]!; bigram += 1) {
      starts[bigram] = at
      const middle = bigrams.word[bigram]!
      const parent = last * vocabulary + middle
      const number = bigrams.general[bigram]!
      const end = number === ABSENT ? 0 : general.bigrams.next[number + 1]!
      for (let old = number === ABSENT ? 0 : general.bigrams.next[number]!; ;) {
        const oldWord = old < end ? general.trigrams.word[old]! : Infinity
        const ownWord = own.parents[ownAt] === parent ? own.words[ownAt]! : Infinity
        const first = Math.min(oldWord, ownWord)
        if (first === Infinity) break
        const count = ownWord === first ? own.counts[ownAt++]! : 0
        const oldNumber = oldWord === first ? old++ : ABSENT
        const context = contextOf(bigrams, first, middle)
        const weight = context === ABSENT ? 1 : weights[context]!
        const q = oldNumber === ABSENT ? weight * bigrams.prob[bigram]! : probOf[general.trigrams.prob[oldNumber]!]!
        const prob = smoothed(count, q, counts.afterTwo.get(middle * vocabulary + first))
        level.word[at] = first
        level.prob[at] = prob
        if (context !== ABSENT) rests.add(context, prob, bigrams.prob[bigram]!)
        at += 1
      }
    }
  }
  starts[bigrams.word.length] = at
  return { word: level.word.slice(0, at), prob: level.prob.slice(0, at), starts, contextWeights: rests.weights() }
}

function smoothed(count: number, q: number, after: Followers | undefined): number {
  return after === undefined ? q : (count + after.kinds * q) / (after.total + after.kinds)
}

/** Counted n-grams in the order of the trie. */
function sortedEntries(counts: ReadonlyMap<number, number>, vocabulary: number) {
  const keys = Float64Array.from(counts.keys()).sort()
  return {
    parents: keys.map((key) => Math.floor(key / vocabulary)),
    words: keys.map((key) => key % vocabulary),
    counts: keys.map((key) => counts.get(key)!),
  }
}

function find(words: Uint32Array, from: number, to: number, word: number): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words[middle]! < word) low = middle + 1
    else high = middle
  }
  return low < to && words[low] === word ? low : ABSENT
}

/** Numbers of the entries nearest to each value, which is linear; the tables hold logarithms and ascend. */
function quantised(table: Float32Array, values: Float64Array): Uint16Array {
  const sorted = Float32Array.from(table)
  // The program that wrote the tables sorts them only to the nearest whole number.
  for (let i = 1; i < sorted.length; i += 1) sorted[i] = Math.max(sorted[i]!, sorted[i - 1]!)
  const numbers = new Uint16Array(values.length)
  for (let i = 0; i < values.length; i += 1) {
    const wanted = logarithm(values[i]!)
    let [low, high] = [0, sorted.length - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sorted[middle]! < wanted) low = middle + 1
      else high = middle
    }
    numbers[i] = low > 0 && wanted - sorted[low - 1]! < sorted[low]! - wanted ? low - 1 : low
  }
  return numbers
}

function withEnd(values: Float64Array): Float32Array {
  const more = new Float32Array(values.length + 1)
  more.set(values)
  return more
}
