/** What was counted after one context. */
export interface Followers {
  total: number
  /** Different words. */
  kinds: number
}

/**
 * N-grams of sentences, by the numbers of their words. Keys begin with the last word, as the trie does: `w2·V + w1` and `(w3·V + w2)·V + w1` with
 * V words; contexts by `w1` and `w2·V + w1`.
 */
export interface NgramCounts {
  /** The general model's words, then the new ones. */
  words: string[]
  unigrams: Map<number, number>
  bigrams: Map<number, number>
  trigrams: Map<number, number>
  /** Unigrams counted. */
  total: number
  afterOne: Map<number, Followers>
  afterTwo: Map<number, Followers>
}

const BEGIN = '<s>'
const END = '</s>'

export function countNgrams(known: readonly string[], sentences: readonly (readonly string[])[]): NgramCounts {
  const numbers = new Map(known.map((word, i) => [word, i]))
  const words = [...known]
  for (const sentence of sentences) {
    for (const word of sentence) {
      if (numbers.has(word)) continue
      numbers.set(word, words.length)
      words.push(word)
    }
  }
  const counts: NgramCounts = {
    words,
    unigrams: new Map(),
    bigrams: new Map(),
    trigrams: new Map(),
    total: 0,
    afterOne: new Map(),
    afterTwo: new Map(),
  }
  for (const sentence of sentences) {
    const said = [BEGIN, ...sentence, END].map((word) => numbers.get(word)!)
    for (let i = 1; i < said.length; i += 1) countOne(counts, said[i - 2], said[i - 1]!, said[i]!)
  }
  return counts
}

function countOne(counts: NgramCounts, first: number | undefined, middle: number, last: number): void {
  const size = counts.words.length
  increment(counts.unigrams, last)
  counts.total += 1
  const isNew = increment(counts.bigrams, last * size + middle)
  follow(counts.afterOne, middle, isNew)
  if (first === undefined) return
  follow(counts.afterTwo, middle * size + first, increment(counts.trigrams, (last * size + middle) * size + first))
}

/** Whether it is the first. */
function increment(counts: Map<number, number>, key: number): boolean {
  const count = counts.get(key) ?? 0
  counts.set(key, count + 1)
  return count === 0
}

function follow(contexts: Map<number, Followers>, context: number, isNew: boolean): void {
  const followers = contexts.get(context) ?? { total: 0, kinds: 0 }
  contexts.set(context, { total: followers.total + 1, kinds: followers.kinds + (isNew ? 1 : 0) })
}
