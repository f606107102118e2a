import { termsOf } from '../../../models/builtin/matching/terms.ts'
import { shareOfRepeated, spread } from '../../../models/builtin/relevance/repetition.ts'
import { rarity } from '../../../rag/lazy-graph/concept-index.ts'
import { expandOver } from '../../../rag/lazy-graph/expand.ts'
import { readSentences, stem } from '../../../rag/lazy-graph/sentences.ts'
import type { Focus, SharedNames } from '../../../rag/lazy-graph/walk.ts'
import type { GraphChunk, GraphVectors, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { normalName } from '../resolution/names.ts'
import { memoized } from './part-strengths.ts'
import type { QuestionView } from './question-view.ts'
import type { Ranked } from './search-graph.ts'

/** A passage of a document of the graph that another search found. */
export interface FoundPassage {
  /** Path of the document as it was uploaded. */
  document: string
  content: string
  score: number
}

/** Finds at most so many passages, best first. */
export type PassageSearch = (most: number) => Promise<readonly FoundPassage[]>

/** Chunks of the same document that one leads to. */
const NEIGHBOURS = 4
/** Sets how much a holder of an entity is about it when its title does not name it. */
const MENTION = 0.6
const SEEDS = 8
const LOOKED_AT = 24
/** Enough of a passage to recognise it where the chunks of the graph end elsewhere. */
const RECOGNISED_CHARS = 120

/**
 * The passages of a search, and the chunks that they lead to over the entities that both mention, ranked together by the walk that lazy-graph-rag makes over
 * concepts; the passage that the search was surest of stays first.
 */
export function chunksAround(
  graph: KnowledgeGraph,
  question: QuestionView,
  found: readonly FoundPassage[],
  most: number,
): Ranked<GraphChunk>[] {
  const placed = found.flatMap((passage) => {
    const chunk = chunkOf(graph, passage)
    return chunk === null ? [] : [{ chunk, passage }]
  })
  const best = Math.max(...placed.map(({ passage }) => passage.score), Number.MIN_VALUE)
  const hits = new Map<number, number>()
  for (const { chunk, passage } of placed) hits.set(chunk, Math.max(hits.get(chunk) ?? 0, passage.score / best))
  const scored = [...hits].map(([chunk, score]) => ({ chunk, score }))
  const names = sharedNames(graph)
  const { chosen, bridges } = expandOver(names, focusOf(graph, question), scored, {
    seedK: SEEDS,
    relevanceBudget: Math.max(LOOKED_AT, most),
    maxContextChunks: most,
  })
  const via = new Map(bridges.map((bridge) => [bridge.chunk, bridge.via]))
  const first = placed[0]?.chunk
  const ordered = [...chosen].sort((a, b) => Number(b.chunk === first) - Number(a.chunk === first))
  const around = ordered.flatMap(({ chunk, score }): Ranked<GraphChunk>[] => {
    const item = graph.chunks.at(chunk)
    const own = placed.filter((one) => one.chunk === chunk)
    if (own.length === 0) return [{ item: { ...item, via: via.get(chunk) ?? undefined }, score }]
    return own.map(({ passage: { content } }) => ({ item: { ...item, content }, score }))
  })
  const share = shareOfRepeated(
    around.map(({ item }) => item.index),
    around.length,
    graph.chunks.length,
  )
  const [surest] = around
  const others = spread(around, ({ item }) => item.documentId, share).filter(({ item }) => item !== surest?.item)
  return surest === undefined ? [] : [surest, ...others]
}

/** The chunk that a passage is in; that where it begins, when it reaches over the end of one. */
function chunkOf(graph: KnowledgeGraph, { document, content }: FoundPassage): number | null {
  const positions = graph.chunksOfFile.get(document) ?? []
  if (positions.length < 2) return positions[0] ?? null
  const holds = (text: string) => positions.find((position) => graph.chunks.at(position).content.includes(text))
  return holds(content) ?? holds(content.slice(0, RECOGNISED_CHARS)) ?? null
}

/** A chunk as the walk reads it: which entities its sentences name, and the stems of each sentence. */
interface ReadChunk {
  held: ReturnType<SharedNames['conceptsOf']>
  stems: ReadonlySet<string>[]
}

/** Chunks that were read stay for the next questions, as many for each graph. */
const MOST_READ = 500
const readOf = new WeakMap<GraphVectors, Map<number, ReadChunk>>()

function readChunk(graph: KnowledgeGraph, chunk: number): ReadChunk {
  const kept = readOf.get(graph.vectors) ?? new Map<number, ReadChunk>()
  readOf.set(graph.vectors, kept)
  const known = kept.get(chunk)
  if (known !== undefined) return known
  const { title, content } = graph.chunks.at(chunk)
  const sentences = readSentences(plain(content))
  const texts = sentences.map((sentence) => ` ${sentence.map(({ lower }) => lower).join(' ')} `)
  const heading = ` ${normalName(title)} `
  const held = Array.from(graph.entitiesOfChunk(chunk), (id) => {
    const names = namesOf(graph, id)
    const isNamed = (text: string): boolean => names.some((name) => text.includes(name))
    return { id, inTitle: isNamed(heading), sentences: [...texts.keys()].filter((at) => isNamed(texts[at]!)) }
  })
  const stems = sentences.map((sentence) => new Set(sentence.map(({ stem: word }) => word)))
  if (kept.size >= MOST_READ) kept.delete(kept.keys().next().value!)
  kept.set(chunk, { held, stems })
  return { held, stems }
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}+/gu, '')

/** The names of an entity in normal form, between spaces. */
function namesOf({ entities }: KnowledgeGraph, entity: number): string[] {
  const { id, aliases } = entities.at(entity)
  return [id, ...aliases.map(normalName)].filter((name) => name !== '').map((name) => ` ${name} `)
}

function sharedNames(graph: KnowledgeGraph): SharedNames {
  const holders = memoized((entity: number) => graph.chunksOfEntity(entity))
  return {
    conceptsOf: (chunk) => readChunk(graph, chunk).held,
    holderCount: (entity) => holders(entity).length,
    holdersOf(entity) {
      const names = namesOf(graph, entity)
      return holders(entity).map((chunk) => {
        const heading = ` ${normalName(graph.chunks.at(chunk).title)} `
        return { chunk, aboutness: names.some((name) => heading.includes(name)) ? 1 : MENTION }
      })
    },
    siblingsOf(chunk) {
      const { documentId } = graph.chunks.at(chunk)
      return Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, at) => chunk + at - NEIGHBOURS)
        .filter((other) => other !== chunk && other >= 0 && other < graph.chunks.length)
        .filter((other) => graph.chunks.at(other).documentId === documentId)
        .map((other) => [other, Math.abs(other - chunk)])
    },
    keyOf: (entity) => graph.entities.at(entity).name,
    weightOf: (entity) => rarity(holders(entity).length, graph.chunks.length),
  }
}

/** Returns what the question asks: its words by their rarity, in the sentences of a chunk, and the nearness in meaning of the chunk itself. */
function focusOf(graph: KnowledgeGraph, question: QuestionView): Focus {
  const near = question.near.chunks()
  const nearest = near.reduce((most, each) => Math.max(most, each), Number.MIN_VALUE)
  const asked = termsOf(question.text).map(({ norm, weight }) => ({ word: stem(norm), weight }))
  const all = asked.reduce((sum, { weight }) => sum + weight, 0) || 1
  return {
    anchors: new Set(question.names.found.flatMap(({ entities, share }) => (share === 1 ? entities : []))),
    wantedShare: (chunk) => Math.max(0, near[chunk]! / nearest),
    sentenceShares: memoized((chunk: number) => {
      const own = readChunk(graph, chunk).stems.map(
        (words) => asked.reduce((sum, { word, weight }) => sum + (words.has(word) ? weight : 0), 0) / all,
      )
      return own.map((share, at) => Math.max(share, (own[at - 1] ?? 0) / 2, (own[at + 1] ?? 0) / 2))
    }),
  }
}
