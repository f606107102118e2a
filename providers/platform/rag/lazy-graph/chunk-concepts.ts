import { createNumbers } from '../../stores/columns/numbers.ts'
import type { Numbers } from '../../stores/columns/numbers.ts'

/** A concept of a chunk with the sentences that it appears in, as the index file has them. */
export type StoredConcept = [concept: number, sentences: number[]]

/** The concepts of each chunk as numbers: as lists of lists they would take ten times the memory. */
export class ChunkConcepts implements Iterable<StoredConcept[]> {
  /** Concepts of all chunks, one chunk after the other. */
  readonly ids: Int32Array
  /** States where the concepts of a chunk begin in `ids`; one more for the end. */
  readonly from: Int32Array
  readonly #sentences: Int32Array
  readonly #sentencesFrom: Int32Array

  constructor(ids: Int32Array, from: Int32Array, sentences: Int32Array, sentencesFrom: Int32Array) {
    this.ids = ids
    this.from = from
    this.#sentences = sentences
    this.#sentencesFrom = sentencesFrom
  }

  get length(): number {
    return this.from.length - 1
  }

  at(chunk: number): StoredConcept[] {
    const concepts: StoredConcept[] = []
    for (let entry = this.from[chunk] ?? 0; entry < (this.from[chunk + 1] ?? 0); entry += 1)
      concepts.push([this.ids[entry]!, Array.from(this.sentencesOf(entry))])
    return concepts
  }

  sentencesOf(entry: number): Int32Array {
    return this.#sentences.subarray(this.#sentencesFrom[entry], this.#sentencesFrom[entry + 1])
  }

  *[Symbol.iterator](): Generator<StoredConcept[]> {
    for (let chunk = 0; chunk < this.length; chunk += 1) yield this.at(chunk)
  }
}

/** Collects chunks in their order. */
export interface ChunkConceptCollector {
  add(concepts: Iterable<readonly [concept: number, sentences: ArrayLike<number>]>): void
  done(): ChunkConcepts
}

/** A collector without chunks. */
export function createChunkConcepts(): ChunkConceptCollector {
  const [ids, from, sentences, sentencesFrom] = [0, 0, 0, 0].map((): Numbers => createNumbers()) as [
    Numbers,
    Numbers,
    Numbers,
    Numbers,
  ]
  return {
    add(concepts) {
      from.push(ids.length)
      for (const [id, places] of concepts) {
        ids.push(id)
        sentencesFrom.push(sentences.length)
        for (let at = 0; at < places.length; at += 1) sentences.push(places[at]!)
      }
    },
    done() {
      from.push(ids.length)
      sentencesFrom.push(sentences.length)
      return new ChunkConcepts(ids.done(), from.done(), sentences.done(), sentencesFrom.done())
    },
  }
}
