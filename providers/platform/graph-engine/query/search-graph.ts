import { coverage } from '../../models/builtin/matching/terms.ts'
import type { GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { relationTerms } from '../graph/term-indexes.ts'
import { highest } from '../graph/vector-table.ts'
import type { Anchor } from './find-anchors.ts'
import { findAnchors } from './find-anchors.ts'
import { findPaths } from './find-paths.ts'
import type { GraphPath } from './find-paths.ts'
import { personalisedPagerank } from './personalised-pagerank.ts'
import type { QuestionView } from './question-view.ts'
import { ranked, roundRobin } from './rank.ts'
import type { Ranked } from './rank.ts'

/** The part of the graph that a question is about, each list best first. */
export interface GraphFindings {
  anchors: Anchor[]
  paths: GraphPath[]
  entities: Ranked<GraphEntity>[]
  relations: Ranked<GraphRelation>[]
}

export interface SearchBounds {
  topK: number
  pathLength: number
  visitedEntities: number
}

const NOTHING: GraphFindings = { anchors: [], paths: [], entities: [], relations: [] }

/** Entities and relations for a mode: from the question's entities outwards, from relations that fit its themes, or both in turn. */
export function searchGraph(
  graph: KnowledgeGraph,
  question: QuestionView,
  mode: 'local' | 'global' | 'hybrid',
  bounds: SearchBounds,
): GraphFindings {
  const local = mode === 'global' ? NOTHING : searchLocal(graph, question, bounds)
  const global = mode === 'local' ? NOTHING : searchGlobal(graph, question, bounds)
  return {
    anchors: local.anchors,
    paths: local.paths,
    entities: roundRobin([local.entities, global.entities]).slice(0, bounds.topK),
    relations: roundRobin([local.relations, global.relations]).slice(0, bounds.topK),
  }
}

const RELATION = { path: 0.5, fit: 0.3, walk: 0.2 } as const

function searchLocal(graph: KnowledgeGraph, question: QuestionView, bounds: SearchBounds): GraphFindings {
  const anchors = findAnchors(question, bounds.topK)
  const paths = findPaths(graph, question, anchors, {
    length: bounds.pathLength,
    steps: bounds.visitedEntities,
    kept: bounds.topK,
  })
  const seeds = new Map(anchors.map(({ entity, weight }) => [entity, weight]))
  const ranks = personalisedPagerank(
    graph,
    seeds,
    (relation) => 0.1 + Math.max(0, question.near.relation(relation)),
    bounds.visitedEntities,
  )
  const highestRank = [...ranks.values()].reduce((most, rank) => Math.max(most, rank), 0)
  const walk = (entity: number) => (ranks.get(entity) ?? 0) / (highestRank || 1)
  const onPaths = new Map<number, number>()
  const best = paths[0]?.score ?? 0
  for (const { relations, score } of paths) {
    for (const relation of relations)
      onPaths.set(relation, Math.max(onPaths.get(relation) ?? 0, best > 0 ? score / best : 0))
  }
  const reached = ranked(
    [...ranks.keys()].map((index) => graph.entities[index]!),
    ({ index }) => (seeds.get(index) ?? 0) + walk(index),
  ).slice(0, bounds.topK)
  const candidates = new Set(onPaths.keys())
  for (const { item } of reached) graph.topology.forEachEdge(item.id, (_, { index }) => candidates.add(index))
  const relations = ranked(
    [...candidates].sort((a, b) => a - b).map((index) => graph.relations[index]!),
    (relation) =>
      RELATION.path * (onPaths.get(relation.index) ?? 0) +
      RELATION.fit * fit(question, relation, question.near.relation(relation)) +
      RELATION.walk * Math.min(walk(relation.sourceIndex), walk(relation.targetIndex)),
  ).slice(0, bounds.topK)
  const pathEntities = paths.flatMap(({ entities }) => entities)
  const entities = roundRobin([
    reached,
    pathEntities.map((index) => ({ item: graph.entities[index]!, score: walk(index) })),
  ])
  return { anchors, paths, entities: entities.slice(0, bounds.topK), relations }
}

function searchGlobal(graph: KnowledgeGraph, question: QuestionView, bounds: SearchBounds): GraphFindings {
  const themes = question.near.themes()
  const wide = highest(themes, bounds.topK * 4).map((index) => graph.relations[index]!)
  const relations = ranked(wide, (relation) => fit(question, relation, themes[relation.index]!)).slice(0, bounds.topK)
  const scores = new Map<number, number>()
  for (const { item, score } of relations) {
    for (const end of [item.sourceIndex, item.targetIndex]) scores.set(end, Math.max(scores.get(end) ?? 0, score))
  }
  const entities = ranked(
    [...scores.keys()].map((index) => graph.entities[index]!),
    ({ index }) => scores.get(index)!,
  )
  return { anchors: [], paths: [], entities: entities.slice(0, bounds.topK), relations }
}

/** How well a relation fits the question, 0 to 1: half by meaning, half by the question's words that it meets. */
function fit(question: QuestionView, relation: GraphRelation, nearness: number): number {
  return 0.5 * Math.max(0, nearness) + 0.5 * coverage(question.terms, relationTerms(relation))
}
