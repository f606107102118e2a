import type { GraphChunk, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { highest } from '../graph/vector-table.ts'
import type { QuestionView } from './question-view.ts'
import { ranked, scaled } from './rank.ts'
import type { Ranked } from './rank.ts'
import type { GraphFindings } from './search-graph.ts'

/** Share of an entity's score that its chunks get together, beside the full score of each relation. */
const ENTITY_SHARE = 0.25

/**
 * The chunks that tell what was found, best first. The best path comes first: each of its relations gets the chunk that tells it
 * best, unless one already chosen does, so that a chain of facts is complete before its first link is told again. Then chunks by how
 * much of the findings they tell and how near they are to the question, both counting the same.
 */
export function chunksOfFindings(
  graph: KnowledgeGraph,
  question: QuestionView,
  findings: GraphFindings,
): Ranked<GraphChunk>[] {
  const told = new Map<number, number>()
  const tell = (ids: readonly string[], value: number) => {
    for (const id of ids) {
      const position = graph.chunkPositions.get(id)!
      told.set(position, (told.get(position) ?? 0) + value)
    }
  }
  for (const { item, score } of findings.relations) tell(item.chunkIds, score)
  for (const { item, score } of findings.entities) tell(item.chunkIds, (ENTITY_SHARE * score) / item.chunkIds.length)
  const tellers = [...told.keys()].sort((a, b) => a - b)
  const worth = scaled(tellers.map((position) => told.get(position)!))
  const nearness = scaled(tellers.map((position) => Math.max(0, question.near.chunk(position))))
  const scores = new Map(tellers.map((position, at) => [position, worth[at]! + nearness[at]!]))
  const score = ({ position }: GraphChunk) => scores.get(position) ?? 0
  const byScore = ranked(
    tellers.map((position) => graph.chunks[position]!),
    score,
  )
  const chosen = new Set<GraphChunk>()
  for (const index of findings.paths[0]?.relations ?? []) {
    const telling = graph.relations[index]!.chunkIds.map((id) => graph.chunks[graph.chunkPositions.get(id)!]!)
    if (!telling.some((chunk) => chosen.has(chunk))) chosen.add(ranked(telling, score)[0]!.item)
  }
  const first = [...chosen].map((item) => ({ item, score: score(item) }))
  return [...first, ...byScore.filter(({ item }) => !chosen.has(item))]
}

/** The chunks nearest to the question in meaning. */
export function chunksByMeaning(graph: KnowledgeGraph, question: QuestionView, limit: number): Ranked<GraphChunk>[] {
  const nearness = question.near.chunks()
  return highest(nearness, limit).map((position) => ({ item: graph.chunks[position]!, score: nearness[position]! }))
}
