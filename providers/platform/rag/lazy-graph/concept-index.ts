import { z } from 'zod'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import type { ChunkConcepts } from './chunk-concepts.ts'
import type { ConceptList } from './concept-list.ts'
import { KINDS, type ConceptKind } from './concepts.ts'
import type { StemHolders } from './stem-holders.ts'

/** Raised when extraction changes, so that no cached index of another make is read. */
export const EXTRACTOR_VERSION = 2

/** Stands for "in the document's title" where a sentence number is expected. */
export const TITLE_SENTENCE = -1

const Kind = z.enum(KINDS)

/** Lists what an index file has, item by item: its lists together would take ten times the memory of the index. */
export const STORED_LISTS = {
  /** Key, kind and in how many chunks' own text it appears. */
  concepts: z.tuple([z.string(), Kind, z.int().min(0)]),
  /** Per chunk its concepts (positions in `concepts`) with the sentences they appear in; -1 is the document's title. */
  chunks: z.array(z.tuple([z.int().min(0), z.array(z.int().min(TITLE_SENTENCE))])),
  /** Codes and names that a single chunk holds: they link nothing, but a question may ask for them. Key, kind, chunk. */
  singles: z.tuple([z.string(), Kind, z.int().min(0)]),
  /** Stem → in which chunks it appears, titles included: the first one, then the distance of each from the one before. */
  terms: z.tuple([z.string(), z.array(z.int().min(0)).min(1)]),
}

/**
 * Concepts of a collection and where they appear; chunks by their position in document and chunk order. Two concepts are linked when a chunk
 * holds both. Made without any model.
 */
export interface ConceptIndex {
  fingerprint: string
  concepts: ConceptList
  chunks: ChunkConcepts
  singles: ConceptList
  terms: StemHolders
  /** Distinct pairs of concepts that share a chunk. */
  edges: number
}

/** Sets how much sharing a concept of a kind counts for two passages, 0 to 1. */
export const KIND_WEIGHT: Record<ConceptKind, number> = { code: 1, name: 1, name_part: 0.7, phrase: 0.6, word: 0.4 }

/** Returns how rare a concept is among `total` chunks: 1 when it appears in one of them, towards 0 when in all. */
export function rarity(frequency: number, total: number): number {
  return Math.log((total + 1) / Math.max(1, frequency)) / Math.log(total + 1)
}

/** A document's title as words; where it has none but its file name, that without extension and dashes. */
export function titleText(chunk: StoredChunk): string {
  return /\.[a-z]{2,4}$/i.test(chunk.title)
    ? chunk.title.replace(/\.[a-z]{2,4}$/i, '').replace(/[-_/]+/g, ' ')
    : chunk.title
}
