import { grouped } from '../../stores/columns/numbers.ts'
import type { Groups } from '../../stores/columns/numbers.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import type { ConceptKind } from './concepts.ts'
import { KIND_WEIGHT, rarity, TITLE_SENTENCE, type ConceptIndex } from './concept-index.ts'
import type { Chunks } from './kept-chunks.ts'
import { readSentences } from './sentences.ts'

/** A concept as a chunk holds it. */
export interface ChunkConcept {
  id: number
  /** Sentences of the chunk; empty when the concept is only in the document's title. */
  sentences: readonly number[]
  inTitle: boolean
}

/** A chunk that holds a concept, and how much it is about it rather than mentioning it, 0 to 1. */
export interface Holder {
  chunk: number
  aboutness: number
}

function aboutness({ inTitle, sentences }: ChunkConcept, chunkIndex: number): number {
  if (inTitle) return sentences.length > 0 || chunkIndex === 0 ? 1 : 0.7
  return sentences.includes(0) || sentences.length > 1 ? 0.7 : 0.5
}

const chunkKey = (document: string, chunkIndex: number): string => `${chunkIndex} ${document}`

/** Sets how far the neighbours of a chunk reach in its document. */
const NEIGHBOURS = 4

/** Chunks whose sentences are kept; the first read go first. A question reads those it walks through. */
const MAX_READ_CHUNKS = 500

/** A concept index ready for walking: who holds what, and the sentences of chunks read when they are first asked for. */
export class ConceptGraph {
  readonly index: ConceptIndex
  readonly chunks: Chunks
  /** Entries of the index by concept, and the chunk of each. */
  readonly #entries: Groups
  readonly #chunkOf: Int32Array
  /** Document of each chunk, and its number in it: what a walk asks of many chunks without reading them. */
  readonly #documents: string[]
  readonly #indexes: Int32Array
  readonly #positions: Map<string, number>
  readonly #stems = new Map<number, Set<string>[]>()

  constructor(index: ConceptIndex, chunks: Chunks) {
    this.index = index
    this.chunks = chunks
    const { ids, from, length } = index.chunks
    this.#chunkOf = new Int32Array(ids.length)
    for (let chunk = 0; chunk < length; chunk += 1) this.#chunkOf.fill(chunk, from[chunk], from[chunk + 1])
    this.#entries = grouped(ids, index.concepts.length)
    this.#indexes = new Int32Array(chunks.length)
    this.#documents = []
    this.#positions = new Map()
    for (const { document, chunkIndex } of chunks) {
      const position = this.#documents.push(document) - 1
      this.#indexes[position] = chunkIndex
      this.#positions.set(chunkKey(document, chunkIndex), position)
    }
  }

  /** Position of a stored chunk; null when the collection changed under the search. */
  positionOf(chunk: StoredChunk): number | null {
    return this.#positions.get(chunkKey(chunk.document, chunk.chunkIndex)) ?? null
  }

  conceptsOf(chunk: number): ChunkConcept[] {
    const { from } = this.index.chunks
    const concepts: ChunkConcept[] = []
    for (let entry = from[chunk] ?? 0; entry < (from[chunk + 1] ?? 0); entry += 1) concepts.push(this.#held(entry))
    return concepts
  }

  /** Chunks that hold a concept, in order. */
  holdersOf(concept: number): Holder[] {
    const single = this.index.singles.at(concept - this.index.concepts.length)
    if (single !== undefined) return [{ chunk: single[2], aboutness: 1 }]
    const { from, rows } = this.#entries
    const holders: Holder[] = []
    for (let at = from[concept] ?? 0; at < (from[concept + 1] ?? 0); at += 1) {
      const chunk = this.#chunkOf[rows[at]!]!
      holders.push({ chunk, aboutness: aboutness(this.#held(rows[at]!), this.#indexes[chunk]!) })
    }
    return holders
  }

  holderCount(concept: number): number {
    const { from } = this.#entries
    return concept < this.index.concepts.length ? from[concept + 1]! - from[concept]! : 1
  }

  #held(entry: number): ChunkConcept {
    const { ids } = this.index.chunks
    const sentences = this.index.chunks.sentencesOf(entry)
    const inTitle = sentences[0] === TITLE_SENTENCE
    return { id: ids[entry]!, inTitle, sentences: Array.from(inTitle ? sentences.subarray(1) : sentences) }
  }

  /** The chunks around one in its document, with their distance in chunks. */
  siblingsOf(chunk: number): [chunk: number, distance: number][] {
    const [document, chunkIndex] = [this.#documents[chunk]!, this.#indexes[chunk]!]
    const distances = Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, at) => at - NEIGHBOURS)
    return distances.flatMap((distance): [number, number][] => {
      const sibling = distance === 0 ? undefined : this.#positions.get(chunkKey(document, chunkIndex + distance))
      return sibling === undefined ? [] : [[sibling, Math.abs(distance)]]
    })
  }

  /** The code or proper name with this key; null for words and unknown keys. */
  conceptNamed(key: string): number | null {
    const { concepts, singles } = this.index
    const single = singles.named(key)
    return single === null ? concepts.named(key) : concepts.length + single
  }

  keyOf(concept: number): string {
    return this.#known(concept)[0]
  }

  /** Returns how much sharing this concept counts, 0 to 1: by its kind and how rare it is. */
  weightOf(concept: number): number {
    const [, kind, frequency] = this.#known(concept)
    return KIND_WEIGHT[kind] * rarity(frequency, this.chunks.length)
  }

  #known(concept: number): readonly [key: string, kind: ConceptKind, frequency: number] {
    const { concepts, singles } = this.index
    const known = concepts.at(concept)
    if (known !== undefined) return known
    const [key, kind] = singles.at(concept - concepts.length)!
    return [key, kind, 1]
  }

  /** Inverse document frequency of a stem; 0 for one that no chunk holds, which cannot distinguish chunks. */
  termWeight(stem: string): number {
    const frequency = this.index.terms.chunksOf(stem).length
    return frequency === 0 ? 0 : Math.log(1 + this.chunks.length / frequency)
  }

  /** Stems of each sentence of a chunk, in order. */
  sentenceStems(chunk: number): readonly Set<string>[] {
    const known = this.#stems.get(chunk)
    if (known !== undefined) return known
    const sets = readSentences(this.chunks.at(chunk)!.content).map(
      (sentence) => new Set(sentence.filter((token) => !token.stop).map((token) => token.stem)),
    )
    if (this.#stems.size >= MAX_READ_CHUNKS) this.#stems.delete(this.#stems.keys().next().value!)
    this.#stems.set(chunk, sets)
    return sets
  }
}
