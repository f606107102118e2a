import type { GraphQueryRequest } from '../../../../../contract/http/graph-engine.ts'
import { highest, highestAmong } from '../../vectors/dense-vectors.ts'
import type { GraphChunk, GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { findPaths } from './find-paths.ts'
import type { Anchor, GraphPath } from './find-paths.ts'
import { personalisedPagerank } from './personalised-pagerank.ts'
import type { QuestionView } from './question-view.ts'

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
  walkedEntities: number
}

const NOTHING: GraphFindings = { anchors: [], paths: [], entities: [], relations: [] }

/** Entities and relations for a mode: from the question's entities outwards (local), from relations that fit its themes (global), else both in turn. */
export function searchGraph(
  graph: KnowledgeGraph,
  question: QuestionView,
  mode: GraphQueryRequest['mode'],
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
    (relation) => 0.1 + Math.max(0, question.near.relations()[relation]!),
    bounds.walkedEntities,
  )
  const highestRank = [...ranks.values()].reduce((most, rank) => Math.max(most, rank), 0)
  const walk = (entity: number) => (ranks.get(entity) ?? 0) / (highestRank || 1)
  const onPaths = new Map<number, number>()
  const best = paths[0]?.score ?? 0
  for (const { relations, score } of paths) {
    for (const relation of relations)
      onPaths.set(relation, Math.max(onPaths.get(relation) ?? 0, best > 0 ? score / best : 0))
  }
  const reached = ranked([...ranks.keys()], (index) => (seeds.get(index) ?? 0) + walk(index))
    .slice(0, bounds.topK)
    .map(({ item, score }) => ({ item: graph.entities.at(item), score }))
  const candidates = new Set(onPaths.keys())
  for (const { item } of reached) for (const relation of graph.relationsOf(item.index)) candidates.add(relation)
  const relations = ranked(
    nearest(question, candidates, onPaths),
    (relation) =>
      RELATION.path * (onPaths.get(relation) ?? 0) +
      RELATION.fit * fit(question, relation, question.near.relations()[relation]!) +
      RELATION.walk * Math.min(walk(graph.sources[relation]!), walk(graph.targets[relation]!)),
  )
    .slice(0, bounds.topK)
    .map(({ item, score }) => ({ item: graph.relations.at(item), score }))
  const pathEntities = paths.flatMap(({ entities }) => entities)
  const entities = roundRobin([
    reached,
    pathEntities.map((index) => ({ item: graph.entities.at(index), score: walk(index) })),
  ])
  return { anchors, paths, entities: entities.slice(0, bounds.topK), relations }
}

/** Relations that are compared word by word; in a large graph an entity can have thousands, and most of them are far from the question. */
const COMPARED_RELATIONS = 400

/** The candidates in the graph's order: those on paths and, of too many, the ones nearest to the question in meaning. */
function nearest(
  question: QuestionView,
  candidates: ReadonlySet<number>,
  onPaths: ReadonlyMap<number, number>,
): number[] {
  const all = Int32Array.from(candidates).sort()
  if (all.length <= COMPARED_RELATIONS) return [...all]
  const kept = new Set(highestAmong(all, question.near.relations(), COMPARED_RELATIONS))
  for (const relation of onPaths.keys()) kept.add(relation)
  return [...kept].sort((a, b) => a - b)
}

function searchGlobal(graph: KnowledgeGraph, question: QuestionView, bounds: SearchBounds): GraphFindings {
  const themes = question.near.themes()
  const wide = highest(themes, bounds.topK * 4)
  const relations = ranked(wide, (relation) => fit(question, relation, themes[relation]!))
    .slice(0, bounds.topK)
    .map(({ item, score }) => ({ item: graph.relations.at(item), score }))
  const scores = new Map<number, number>()
  for (const { item, score } of relations) {
    for (const end of [item.sourceIndex, item.targetIndex]) scores.set(end, Math.max(scores.get(end) ?? 0, score))
  }
  const entities = ranked(
    [...scores.keys()].map((index) => graph.entities.at(index)),
    ({ index }) => scores.get(index)!,
  )
  return { anchors: [], paths: [], entities: entities.slice(0, bounds.topK), relations }
}

/** Returns how well a relation fits the question, 0 to 1: half by meaning, half by the share of the question's words in it. */
function fit(question: QuestionView, relation: number, nearness: number): number {
  const strengths = question.relationStrengths(relation)
  let met = 0
  let all = 0
  for (const [term, { weight }] of question.terms.entries()) {
    met += weight * strengths[term]!
    all += weight
  }
  return 0.5 * Math.max(0, nearness) + 0.5 * (all === 0 ? 0 : met / all)
}

const PART_OF_NAME = 0.6
const NEAR_IN_MEANING = 0.35

/** The entities that a question mentions, surest first: whole names, parts of names, entities near the low keywords in meaning. */
function findAnchors(question: QuestionView, limit: number): Anchor[] {
  const anchors = new Map<number, Anchor>()
  const add = (anchor: Anchor) => {
    const known = anchors.get(anchor.entity)
    const place = known?.place ?? anchor.place
    const named = anchor.named || known?.named === true
    anchors.set(anchor.entity, { ...anchor, weight: Math.max(anchor.weight, known?.weight ?? 0), named, place })
  }
  for (const { entities, share, place } of question.names.found) {
    const weight = (share === 1 ? 1 : PART_OF_NAME * share) / entities.length
    for (const entity of entities) add({ entity, weight, named: true, place })
  }
  const nearness = question.near.entities()
  for (const entity of highest(nearness, limit)) {
    add({ entity, weight: NEAR_IN_MEANING * nearness[entity]!, named: false, place: null })
  }
  return [...anchors.values()].sort((a, b) => b.weight - a.weight || a.entity - b.entity).slice(0, limit)
}

/** Share of an entity's score that its chunks get together, beside the full score of each relation. */
const ENTITY_SHARE = 0.25

/**
 * The chunks that state what was found, best first. The best path comes first: each of its relations gets the chunk that states it
 * best, unless a chosen one already does, so that a chain of facts is complete before its first link is repeated. Then chunks by how
 * much of the findings they state and how near they are to the question, with equal weight.
 */
export function chunksOfFindings(
  graph: KnowledgeGraph,
  question: QuestionView,
  findings: GraphFindings,
): Ranked<GraphChunk>[] {
  const support = new Map<number, number>()
  const addSupport = (positions: readonly number[], value: number) => {
    for (const position of positions) support.set(position, (support.get(position) ?? 0) + value)
  }
  for (const { item, score } of findings.relations) addSupport(graph.chunksOfRelation(item.index), score)
  for (const { item, score } of findings.entities)
    addSupport(graph.chunksOfEntity(item.index), (ENTITY_SHARE * score) / item.chunkIds.length)
  const supporting = [...support.keys()].sort((a, b) => a - b)
  const worth = scaled(supporting.map((position) => support.get(position)!))
  const nearness = scaled(supporting.map((position) => Math.max(0, question.near.chunks()[position]!)))
  const scores = new Map(supporting.map((position, at) => [position, worth[at]! + nearness[at]!]))
  const score = ({ position }: GraphChunk) => scores.get(position) ?? 0
  const byScore = ranked(
    supporting.map((position) => graph.chunks.at(position)),
    score,
  )
  const chosen = new Set<GraphChunk>()
  for (const index of findings.paths[0]?.relations ?? []) {
    const stating = graph.chunksOfRelation(index).map((position) => graph.chunks.at(position))
    if (!stating.some((chunk) => chosen.has(chunk))) chosen.add(ranked(stating, score)[0]!.item)
  }
  const first = [...chosen].map((item) => ({ item, score: score(item) }))
  return [...first, ...byScore.filter(({ item }) => !chosen.has(item))]
}

/** The chunks nearest to the question in meaning. */
export function chunksByMeaning(graph: KnowledgeGraph, question: QuestionView, limit: number): Ranked<GraphChunk>[] {
  const nearness = question.near.chunks()
  return highest(nearness, limit).map((position) => ({ item: graph.chunks.at(position), score: nearness[position]! }))
}

/** Something chosen for the context, with the score of the step that ordered it. */
export interface Ranked<Item> {
  item: Item
  score: number
}

/** Items by score, best first, equal ones in their previous order. */
function ranked<Item>(items: readonly Item[], score: (item: Item) => number): Ranked<Item>[] {
  return items.map((item) => ({ item, score: score(item) })).sort((a, b) => b.score - a.score)
}

/** Takes from each list in turn, leaving out what was taken before. */
export function roundRobin<Item>(lists: readonly (readonly Ranked<Item>[])[]): Ranked<Item>[] {
  const taken = new Set<Item>()
  const merged: Ranked<Item>[] = []
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let place = 0; place < longest; place += 1) {
    for (const list of lists) {
      const next = list[place]
      if (next === undefined || taken.has(next.item)) continue
      taken.add(next.item)
      merged.push(next)
    }
  }
  return merged
}

/** Scores scaled so that the highest is 1; as they are when none is above zero. */
function scaled(scores: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(scores)
  const top = values.reduce((most, value) => Math.max(most, value), 0)
  return top > 0 ? values.map((value) => value / top) : values
}
