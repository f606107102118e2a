import type { ConceptGraph } from './concept-graph.ts'
import { readSentences } from './sentences.ts'
import { holdsChunk } from './stem-holders.ts'

/** Keeps what a question asks about: the names it gives, and the words that state what is wanted of them. */
export class QuestionFocus {
  /** Concepts that the question names: codes and proper names, not mere words. */
  readonly anchors: ReadonlySet<number>
  readonly #graph: ConceptGraph
  readonly #all: Map<string, number>
  readonly #wanted: Map<string, number>
  /** Chunks that hold each wanted stem. */
  readonly #holders: Map<string, Int32Array>
  readonly #wantedShares = new Map<number, number>()
  readonly #sentenceShares = new Map<number, readonly number[]>()

  constructor(question: string, graph: ConceptGraph) {
    this.#graph = graph
    const tokens = readSentences(question).flat()
    const words = tokens.map((token) => token.lower.replace(/['’]s?$/, ''))
    this.anchors = new Set(anchorsIn(words, graph))
    const anchorWords = new Set([...this.anchors].flatMap((concept) => graph.keyOf(concept).split(' ')))
    const content = tokens.filter((token) => !token.stop)
    this.#all = new Map(content.map((token) => [token.stem, graph.termWeight(token.stem)]))
    const asked = content.filter((token) => !anchorWords.has(token.lower.replace(/['’]s?$/, '')))
    this.#wanted = new Map(asked.map((token) => [token.stem, graph.termWeight(token.stem)]))
    this.#holders = new Map(asked.map(({ stem }) => [stem, graph.index.terms.chunksOf(stem)]))
  }

  /** Share of what is wanted, 0 to 1 by weight of its words, that a chunk or its title mentions. */
  wantedShare(chunk: number): number {
    const known = this.#wantedShares.get(chunk)
    if (known !== undefined) return known
    const share = heldShare(this.#wanted, (stem) => holdsChunk(this.#holders.get(stem)!, chunk))
    this.#wantedShares.set(chunk, share)
    return share
  }

  /** For each sentence of a chunk the share of the whole question it holds; a neighbour's share counts for half. */
  sentenceShares(chunk: number): readonly number[] {
    const known = this.#sentenceShares.get(chunk)
    if (known !== undefined) return known
    const own = this.#graph.sentenceStems(chunk).map((stems) => heldShare(this.#all, (stem) => stems.has(stem)))
    const shares = own.map((share, at) => Math.max(share, (own[at - 1] ?? 0) / 2, (own[at + 1] ?? 0) / 2))
    this.#sentenceShares.set(chunk, shares)
    return shares
  }
}

function heldShare(weights: ReadonlyMap<string, number>, holds: (stem: string) => boolean): number {
  let held = 0
  let total = 0
  for (const [stem, weight] of weights) {
    total += weight
    if (holds(stem)) held += weight
  }
  return total === 0 ? 0 : held / total
}

const MAX_NAME_WORDS = 6

/** The longest known name at each place: a part of a name is less specific than the name and leads elsewhere. */
function anchorsIn(words: readonly string[], graph: ConceptGraph): number[] {
  const found: number[] = []
  for (let start = 0; start < words.length; start += 1)
    for (let end = Math.min(words.length, start + MAX_NAME_WORDS); end > start; end -= 1) {
      const concept = graph.conceptNamed(words.slice(start, end).join(' '))
      if (concept === null) continue
      found.push(concept)
      start = end - 1
      break
    }
  return found
}
