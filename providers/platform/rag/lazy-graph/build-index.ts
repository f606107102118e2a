import type { StoredChunk } from '../../vector-store/vector-store.ts'
import { inTurns } from '../in-turns.ts'
import { kindWeight, rarity, titleText, TITLE_SENTENCE, type ConceptIndex } from './concept-index.ts'
import { countCapitals, mentionsOf, type Capitals, type ConceptKind, type Mention } from './concepts.ts'
import { readSentences, type Sentence } from './sentences.ts'

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

function frequencies(perChunk: readonly Map<string, Found>[]) {
  const all = new Map<string, { kind: ConceptKind; own: number; reach: number }>()
  for (const [key, { kind, mentions }] of perChunk.flatMap((found) => [...found])) {
    const known = all.get(key) ?? { kind, own: 0, reach: 0 }
    known.reach += 1
    if (mentions > 0) known.own += 1
    if (kindWeight(kind) > kindWeight(known.kind)) known.kind = kind
    all.set(key, known)
  }
  return all
}

function termFrequencies(texts: readonly (readonly Sentence[])[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const sentences of texts) {
    const stems = new Set(
      sentences.flatMap((sentence) => sentence.filter((token) => !token.stop).map((token) => token.stem)),
    )
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1))
}

/** Distinct pairs of concepts in one chunk, counted concept by concept: all pairs at once would fill the memory. */
function countEdges(perChunk: readonly number[][], conceptCount: number): number {
  const holders: number[][] = Array.from({ length: conceptCount }, () => [])
  for (const [chunk, concepts] of perChunk.entries()) for (const id of concepts) holders[id]!.push(chunk)
  return holders.reduce((sum, chunks, id) => {
    const later = new Set(chunks.flatMap((chunk) => perChunk[chunk]!.filter((other) => other > id)))
    return sum + later.size
  }, 0)
}

/**
 * Builds the index. A chunk keeps its `maxConcepts` strongest concepts; one in a single chunk links nothing and one in
 * too many is not distinctive, so neither is kept.
 */
export async function buildConceptIndex(
  chunks: readonly StoredChunk[],
  maxConcepts: number,
  fingerprint: string,
): Promise<ConceptIndex> {
  const capitals: Capitals = { upper: new Map(), lower: new Map() }
  const texts = await inTurns(chunks, (chunk) => readSentences(chunk.content))
  const titles = new Map(chunks.map((chunk) => [chunk.document, readSentences(titleText(chunk))]))
  for (const sentences of texts) countCapitals(sentences, capitals)
  for (const sentences of titles.values()) countCapitals(sentences, capitals, true)
  const titleMentions = new Map([...titles].map(([document, sentences]) => [document, mentionsOf(sentences, capitals)]))

  const perChunk = await inTurns(chunks, (chunk, index) =>
    withTitle(collect(mentionsOf(texts[index]!, capitals)), titleMentions.get(chunk.document)!),
  )
  const all = frequencies(perChunk)
  const total = chunks.length
  const links = (key: string): boolean => {
    const { kind, own, reach } = all.get(key)!
    const [share, atLeast] = TOO_COMMON[kind]
    return reach >= 2 && own <= Math.max(atLeast, share * total)
  }
  const singles = perChunk.flatMap((found, chunk) =>
    [...found.keys()].flatMap((key): [string, ConceptKind, number][] => {
      const { kind, reach } = all.get(key)!
      return reach === 1 && (kind === 'code' || kind === 'name') ? [[key, kind, chunk]] : []
    }),
  )
  const weigh = (key: string, { sentences, mentions }: Found): number => {
    const { kind, own } = all.get(key)!
    const inTitle = sentences[0] === TITLE_SENTENCE ? 1.3 : 1
    return kindWeight(kind) * rarity(own, total) * inTitle * (1 + 0.2 * Math.min(3, Math.max(0, mentions - 1)))
  }

  const ids = new Map<string, number>()
  const idOf = (key: string): number => {
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    return id
  }
  const kept = await inTurns(perChunk, (found) =>
    [...found]
      .filter(([key]) => links(key))
      .map(([key, entry]) => ({ key, entry, weight: weigh(key, entry) }))
      .sort((left, right) => right.weight - left.weight || (left.key < right.key ? -1 : 1))
      .slice(0, maxConcepts)
      .map(({ key, entry }): [number, number[]] => [idOf(key), entry.sentences]),
  )
  return {
    fingerprint,
    concepts: [...ids.keys()].map((key) => [key, all.get(key)!.kind, all.get(key)!.own]),
    chunks: kept,
    singles,
    terms: termFrequencies(chunks.map((chunk, index) => [...texts[index]!, ...titles.get(chunk.document)!])),
    edges: countEdges(
      kept.map((concepts) => concepts.map(([id]) => id)),
      ids.size,
    ),
  }
}
