import { grouped, release } from '../../stores/columns/numbers.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import { createChunkConcepts } from './chunk-concepts.ts'
import type { ChunkConcepts } from './chunk-concepts.ts'
import { readRecords } from './read-records.ts'
import {
  clearRecords,
  conceptAt,
  endOfConcept,
  WORD_NUMBERS,
  type ChunkRecords,
  type FoundConcept,
} from './chunk-records.ts'
import { createConceptList } from './concept-list.ts'
import { KIND_WEIGHT, rarity, TITLE_SENTENCE, type ConceptIndex } from './concept-index.ts'
import { KINDS, type ConceptKind } from './concepts.ts'
import type { Chunks } from './kept-chunks.ts'
import { stem } from './sentences.ts'
import { createStemHolders, type StemHolders } from './stem-holders.ts'

/** Share of the chunks beyond which a concept links everything with everything; the number is for small collections. */
const TOO_COMMON: Record<ConceptKind, [share: number, atLeast: number]> = {
  code: [0.25, 8],
  name: [0.25, 8],
  name_part: [0.15, 8],
  phrase: [0.08, 4],
  word: [0.03, 3],
}

/** Counts how often each concept is found. */
async function countConcepts({ found, conceptTexts }: ChunkRecords) {
  /** Positions in `KINDS`, plus one. */
  const kinds = new Uint8Array(conceptTexts.size)
  const own = new Int32Array(conceptTexts.size)
  const reach = new Int32Array(conceptTexts.size)
  const pause = createPauses()
  for (let chunk = 0; chunk < found.length; chunk += 1) {
    const list = found.at(chunk)
    for (let at = 0; at < list.length; at = endOfConcept(list, at)) {
      const [concept, kind, mentions] = [list[at]!, list[at + 1]!, list[at + 2]!]
      reach[concept]! += 1
      if (mentions > 0) own[concept]! += 1
      if (kinds[concept] === 0 || KIND_WEIGHT[KINDS[kind]!] > KIND_WEIGHT[KINDS[kinds[concept]! - 1]!])
        kinds[concept] = kind + 1
    }
    await pause()
  }
  return { own, reach, kindOf: (concept: number): ConceptKind => KINDS[kinds[concept]! - 1]! }
}

/** Distinct pairs of concepts in one chunk, counted concept by concept: all pairs at once would fill the memory. */
async function countEdges({ ids, from, length }: ChunkConcepts, conceptCount: number): Promise<number> {
  const chunkOf = new Int32Array(ids.length)
  for (let chunk = 0; chunk < length; chunk += 1) chunkOf.fill(chunk, from[chunk], from[chunk + 1])
  const holders = grouped(ids, conceptCount)
  const seenFrom = new Int32Array(conceptCount).fill(-1)
  const pause = createPauses()
  let edges = 0
  for (let id = 0; id < conceptCount; id += 1) {
    for (let at = holders.from[id]!; at < holders.from[id + 1]!; at += 1) {
      const chunk = chunkOf[holders.rows[at]!]!
      for (let entry = from[chunk]!; entry < from[chunk + 1]!; entry += 1) {
        const other = ids[entry]!
        if (other <= id || seenFrom[other] === id) continue
        seenFrom[other] = id
        edges += 1
      }
    }
    await pause()
  }
  release(chunkOf, holders.from, holders.rows, seenFrom)
  return edges
}

/** The chunks of each stem. */
async function stemHolders({ words, wordTexts }: ChunkRecords): Promise<StemHolders> {
  const stems: string[] = []
  const holders = createStemHolders()
  const pause = createPauses()
  for (let chunk = 0; chunk < words.length; chunk += 1) {
    const held = new Set<string>()
    for (const [at, word] of words.at(chunk).entries())
      if (at % WORD_NUMBERS === 0) held.add((stems[word] ??= stem(wordTexts.text(word))))
    holders.add(held)
    await pause()
  }
  return holders.done()
}

/** Builds the index of chunks that have no records yet. */
export async function buildConceptIndex(
  chunks: Chunks,
  maxConcepts: number,
  fingerprint: string,
): Promise<ConceptIndex> {
  return indexOfRecords(await readRecords(chunks, null), maxConcepts, fingerprint)
}

/**
 * Makes the index of what was read in the chunks, whose memory is free after it. A chunk keeps its `maxConcepts` strongest concepts; one in a
 * single chunk links nothing and one in too many is not distinctive, so neither is kept.
 */
export async function indexOfRecords(
  records: ChunkRecords,
  maxConcepts: number,
  fingerprint: string,
): Promise<ConceptIndex> {
  const { found, conceptTexts } = records
  const terms = await stemHolders(records)
  const { own, reach, kindOf } = await countConcepts(records)
  const total = found.length
  const links = (concept: number): boolean => {
    const [share, atLeast] = TOO_COMMON[kindOf(concept)]
    return reach[concept]! >= 2 && own[concept]! <= Math.max(atLeast, share * total)
  }
  const weigh = ({ concept, mentions, sentences }: FoundConcept): number => {
    const inTitle = sentences[0] === TITLE_SENTENCE ? 1.3 : 1
    const repeated = 1 + 0.2 * Math.min(3, Math.max(0, mentions - 1))
    return KIND_WEIGHT[kindOf(concept)] * rarity(own[concept]!, total) * inTitle * repeated
  }
  const singles = createConceptList()
  const concepts = createConceptList()
  /** Positions in `concepts`, plus one; 0 for a concept that has none. */
  const ids = new Int32Array(conceptTexts.size)
  const idOf = (concept: number, key: string): number => {
    if (ids[concept] === 0) {
      concepts.add([key, kindOf(concept), own[concept]!])
      ids[concept] = concepts.length
    }
    return ids[concept]! - 1
  }
  const kept = createChunkConcepts()
  const pause = createPauses()
  for (let chunk = 0; chunk < total; chunk += 1) {
    const candidates: { entry: FoundConcept; key: string; weight: number }[] = []
    const list = found.at(chunk)
    for (let at = 0; at < list.length; at = endOfConcept(list, at)) {
      const concept = list[at]!
      const kind = kindOf(concept)
      if (reach[concept] === 1 && (kind === 'code' || kind === 'name'))
        singles.add([conceptTexts.text(concept), kind, chunk])
      if (!links(concept)) continue
      const entry = conceptAt(list, at)
      candidates.push({ entry, key: conceptTexts.text(concept), weight: weigh(entry) })
    }
    candidates.sort((left, right) => right.weight - left.weight || (left.key < right.key ? -1 : 1))
    kept.add(
      candidates.slice(0, maxConcepts).map(({ entry, key }) => [idOf(entry.concept, key), entry.sentences] as const),
    )
    await pause()
  }
  clearRecords(records)
  release(ids, own, reach)
  const packed = kept.done()
  return {
    fingerprint,
    concepts: concepts.done(),
    chunks: packed,
    singles: singles.done(),
    terms,
    edges: await countEdges(packed, concepts.length),
  }
}
