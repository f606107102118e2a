import type { ConceptGraph } from './concept-graph.ts'
import { QuestionFocus } from './question-focus.ts'
import { Walk, type Focus, type ScoredChunk, type SharedNames } from './walk.ts'

/** Describes how a chunk that is not a seed came in: from which chunk (null: named by the question), over which concept (null: same document). */
export interface Bridge {
  chunk: number
  from: number | null
  via: string | null
}

export interface ExpansionLimits {
  /** Hits that the walk starts from. */
  seedK: number
  /** Chunks beyond the seeds that may be looked at. */
  relevanceBudget: number
  maxContextChunks: number
}

export interface Expansion {
  /** Chosen chunks with their relevance, best first. */
  chosen: ScoredChunk[]
  bridges: Bridge[]
  relevanceTests: number
}

/** Weight of the search's own score against that of the walk. */
const SEARCH_SHARE = 0.2
/** Sets how much a chunk loses that mentions nothing of what is wanted. */
const WANTED_SHARE = 0.2
/** Bounds the time in dense collections: a chunk is returned to this often on average. */
const PUSHES_PER_CHUNK = 16

/**
 * Chooses the context for a question: seeds and chunks that they lead to over shared concepts, ranked together, so that a hit which
 * nothing else points to gives way to a well-connected bridge. Looking at a chunk that is not a seed costs one unit of the budget.
 */
export const expand = (
  graph: ConceptGraph,
  question: string,
  hits: readonly ScoredChunk[],
  limits: ExpansionLimits,
): Expansion => expandOver(graph, new QuestionFocus(question, graph), hits, limits)

/** The same over other shared names. */
export function expandOver(
  graph: SharedNames,
  focus: Focus,
  hits: readonly ScoredChunk[],
  limits: ExpansionLimits,
): Expansion {
  const found = new Map(hits.map(({ chunk, score }) => [chunk, score]))
  const seeds = hits.slice(0, limits.seedK)
  const walk = new Walk(graph, focus, hits)
  walk.start(seeds)

  const looked = new Set(seeds.map(({ chunk }) => chunk))
  const budgetEnd = looked.size + limits.relevanceBudget
  const may = (chunk: number): boolean => looked.has(chunk) || looked.size < budgetEnd
  for (let pushes = 0; pushes < PUSHES_PER_CHUNK * budgetEnd; pushes += 1) {
    const chunk = walk.next(may)
    if (chunk === null) break
    looked.add(chunk)
    walk.push(chunk)
  }

  const heaviest = Math.max(...[...looked].map((chunk) => walk.weightOf(chunk)), Number.MIN_VALUE)
  const relevance = (chunk: number): number => {
    // The root brings the second and third hop of a chain near its beginning.
    const connected = Math.sqrt(walk.weightOf(chunk) / heaviest)
    const wanted = 1 - WANTED_SHARE + WANTED_SHARE * Math.min(1, 2 * focus.wantedShare(chunk))
    return SEARCH_SHARE * (found.get(chunk) ?? 0) + (1 - SEARCH_SHARE) * connected * wanted
  }
  const chosen = [...looked]
    .map((chunk) => ({ chunk, score: relevance(chunk) }))
    .sort((left, right) => right.score - left.score || left.chunk - right.chunk)
    .slice(0, limits.maxContextChunks)
  const seedChunks = new Set(seeds.map(({ chunk }) => chunk))
  const bridges = chosen
    .filter(({ chunk }) => !seedChunks.has(chunk))
    .map(({ chunk }): Bridge => {
      const { from, concept } = walk.arrivalOf(chunk) ?? { from: null, concept: null }
      return { chunk, from, via: concept === null ? null : graph.keyOf(concept) }
    })
  return { chosen, bridges, relevanceTests: looked.size - seedChunks.size }
}
