import type { PackedLists } from './packed-lists.ts'

/** Texts by number, such as those of a table. */
export interface NumberedTexts {
  readonly size: number
  text(number: number): string
  /** Frees the memory of a table. */
  clear?(): void
}

/** States what was read in each chunk of a collection, so that after a change only the changed chunks are read again. */
export interface ChunkRecords {
  /** Digest of what the record of each chunk was made from. */
  digests: readonly string[]
  /** Per chunk its words, those of its title included: word, how often it has a capital that counts, how often none. */
  words: PackedLists
  /** Per chunk its concepts: concept, kind, mentions, number of sentences, sentences plus one. */
  found: PackedLists
  wordTexts: NumberedTexts
  conceptTexts: NumberedTexts
  /** 1 for each word that the corpus writes with a capital by habit: the concepts of the chunks that have it depend on that. */
  names: Uint8Array
  /** Number of chunks whose text was read; the others had a record. */
  chunksRead: number
}

/** A concept that a chunk's text or title has. */
export interface FoundConcept {
  concept: number
  /** States how often the chunk's own text mentions it. */
  mentions: number
  /** Ascending; the title before the others. */
  sentences: readonly number[]
}

/** Numbers of each word in a list of words. */
export const WORD_NUMBERS = 3

/** The concept that begins at a position of a list. */
export function conceptAt(list: readonly number[], at: number): FoundConcept {
  const sentences = list.slice(at + 4, endOfConcept(list, at)).map((sentence) => sentence - 1)
  return { concept: list[at]!, mentions: list[at + 2]!, sentences }
}

/** States where the next concept begins. */
export const endOfConcept = (list: readonly number[], at: number): number => at + 4 + list[at + 3]!

/** Frees the memory; nothing may be read after it. */
export function clearRecords({ words, found, wordTexts, conceptTexts }: ChunkRecords): void {
  for (const part of [words, found, wordTexts, conceptTexts]) part.clear?.()
}
