import { createNumbers, grouped, release } from '../../columns/numbers.ts'
import { createTextTable } from '../../columns/text-table.ts'
import { createPauses } from '../../sliced-work.ts'
import type { StoredChunk } from '../../vector-store/vector-store.ts'
import { createChunkConcepts } from './chunk-concepts.ts'
import type { ChunkConcepts } from './chunk-concepts.ts'
import { createConceptList } from './concept-list.ts'
import { kindWeight, rarity, titleText, TITLE_SENTENCE, type ConceptIndex } from './concept-index.ts'
import { countCapitals, mentionsOf, type Capitals, type ConceptKind, type Mention } from './concepts.ts'
import { createFoundConcepts, type FoundConcept, type FoundConcepts } from './found-concepts.ts'
import type { Chunks } from './kept-chunks.ts'
import { readSentences, type Sentence } from './sentences.ts'
import { createStemHolders } from './stem-holders.ts'

/** Share of the chunks beyond which a concept links everything with everything; the number is for small collections. */
const TOO_COMMON: Record<ConceptKind, [share: number, atLeast: number]> = {
  code: [0.25, 8],
  name: [0.25, 8],
  name_part: [0.15, 8],
  phrase: [0.08, 4],
  word: [0.03, 3],
}

interface Found {
  kind: ConceptKind
  sentences: number[]
  mentions: number
}

function collect(mentions: readonly Mention[]): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const { key, kind, sentence } of mentions) {
    const known = found.get(key)
    if (known === undefined) found.set(key, { kind, sentences: [sentence], mentions: 1 })
    else {
      known.mentions += 1
      if (known.sentences.at(-1) !== sentence) known.sentences.push(sentence)
      if (kindWeight(kind) > kindWeight(known.kind)) known.kind = kind
    }
  }
  return found
}

/** Adds a document's title to each of its chunks: a passage deep in a dossier seldom repeats whom the dossier is about. */
function withTitle(found: Map<string, Found>, title: readonly Mention[]): Map<string, Found> {
  for (const { key, kind } of title) {
    const known = found.get(key)
    if (known === undefined) found.set(key, { kind, sentences: [TITLE_SENTENCE], mentions: 0 })
    else if (known.sentences[0] !== TITLE_SENTENCE) known.sentences.unshift(TITLE_SENTENCE)
  }
  return found
}

const KINDS = Object.keys(TOO_COMMON) as ConceptKind[]

/** How often each concept is found: by its number in `keys`. */
function createConceptCounts() {
  const keys = createTextTable()
  /** Positions in `KINDS`. */
  const kinds = createNumbers()
  const own = createNumbers()
  const reach = createNumbers()
  return {
    keys,
    kindOf: (concept: number) => KINDS[kinds.at(concept)]!,
    ownOf: (concept: number) => own.at(concept),
    reachOf: (concept: number) => reach.at(concept),
    /** Counts a concept of one chunk and returns its number. */
    add(key: string, { kind, mentions }: Found): number {
      const concept = keys.add(key)
      if (concept === kinds.length) {
        kinds.push(KINDS.indexOf(kind))
        own.push(0)
        reach.push(0)
      }
      reach.set(concept, reach.at(concept) + 1)
      if (mentions > 0) own.set(concept, own.at(concept) + 1)
      if (kindWeight(kind) > kindWeight(this.kindOf(concept))) kinds.set(concept, KINDS.indexOf(kind))
      return concept
    },
    /** Frees its memory; nothing may be asked after it. */
    clear(): void {
      keys.clear()
      release(kinds.done(), own.done(), reach.done())
    },
  }
}

/** The sentences of a chunk and of its document's title. Texts are read again for each step: the words of all would fill the memory. */
function createReader(chunks: Chunks) {
  const titles = new Map<string, string>()
  for (const chunk of chunks) titles.set(chunk.document, titleText(chunk))
  let last: { document: string; sentences: Sentence[] } | null = null
  return {
    titles,
    textOf: ({ content }: StoredChunk) => readSentences(content),
    titleOf({ document }: StoredChunk): Sentence[] {
      if (last?.document !== document) last = { document, sentences: readSentences(titles.get(document)!) }
      return last.sentences
    },
  }
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

/**
 * Builds the index. A chunk keeps its `maxConcepts` strongest concepts; one in a single chunk links nothing and one in
 * too many is not distinctive, so neither is kept.
 */
export async function buildConceptIndex(
  chunks: Chunks,
  maxConcepts: number,
  fingerprint: string,
): Promise<ConceptIndex> {
  const pause = createPauses()
  const reader = createReader(chunks)
  const capitals: Capitals = { upper: new Map(), lower: new Map() }
  const stems = createStemHolders()
  for (const title of reader.titles.values()) {
    countCapitals(readSentences(title), capitals, true)
    await pause()
  }
  for (const chunk of chunks) {
    const sentences = reader.textOf(chunk)
    countCapitals(sentences, capitals)
    stems.add(stemsIn([...sentences, ...reader.titleOf(chunk)]))
    await pause()
  }

  const terms = stems.done()

  const counts = createConceptCounts()
  const found = createFoundConcepts()
  for (const chunk of chunks) {
    const own = collect(mentionsOf(reader.textOf(chunk), capitals))
    const all = withTitle(own, mentionsOf(reader.titleOf(chunk), capitals))
    for (const [key, entry] of all) found.add({ ...entry, concept: counts.add(key, entry) })
    found.endChunk()
    await pause()
  }
  return strongest(found, counts, { maxConcepts, fingerprint, terms })
}

/** The concepts that are kept of those that were found. */
async function strongest(
  found: FoundConcepts,
  counts: ReturnType<typeof createConceptCounts>,
  { maxConcepts, fingerprint, terms }: Pick<ConceptIndex, 'fingerprint' | 'terms'> & { maxConcepts: number },
): Promise<ConceptIndex> {
  const { keys, kindOf, ownOf, reachOf } = counts
  const total = found.chunks
  const links = (concept: number): boolean => {
    const [share, atLeast] = TOO_COMMON[kindOf(concept)]
    return reachOf(concept) >= 2 && ownOf(concept) <= Math.max(atLeast, share * total)
  }
  const weigh = ({ concept, mentions, sentences }: FoundConcept): number => {
    const inTitle = sentences[0] === TITLE_SENTENCE ? 1.3 : 1
    const repeated = 1 + 0.2 * Math.min(3, Math.max(0, mentions - 1))
    return kindWeight(kindOf(concept)) * rarity(ownOf(concept), total) * inTitle * repeated
  }
  const singles = createConceptList()
  const concepts = createConceptList()
  /** Positions in `concepts`, plus one; 0 for a concept that has none. */
  const ids = new Int32Array(keys.size)
  const idOf = (concept: number, key: string): number => {
    if (ids[concept] === 0) {
      concepts.add([key, kindOf(concept), ownOf(concept)])
      ids[concept] = concepts.length
    }
    return ids[concept]! - 1
  }
  const kept = createChunkConcepts()
  const pause = createPauses()
  for (let chunk = 0; chunk < total; chunk += 1) {
    const candidates: { entry: FoundConcept; key: string; weight: number }[] = []
    for (const entry of found.next()) {
      const { concept } = entry
      const kind = kindOf(concept)
      if (reachOf(concept) === 1 && (kind === 'code' || kind === 'name')) singles.add([keys.text(concept), kind, chunk])
      if (links(concept)) candidates.push({ entry, key: keys.text(concept), weight: weigh(entry) })
    }
    candidates.sort((left, right) => right.weight - left.weight || (left.key < right.key ? -1 : 1))
    kept.add(
      candidates.slice(0, maxConcepts).map(({ entry, key }) => [idOf(entry.concept, key), entry.sentences] as const),
    )
    await pause()
  }
  found.clear()
  counts.clear()
  release(ids)
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

const stemsIn = (sentences: readonly Sentence[]): Set<string> =>
  new Set(sentences.flatMap((sentence) => sentence.filter((token) => !token.stop).map((token) => token.stem)))
