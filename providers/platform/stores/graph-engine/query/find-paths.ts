import { highestAmong } from '../../vectors/dense-vectors.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { memoized } from './part-strengths.ts'
import type { NamePlace } from './find-names.ts'
import type { QuestionView } from './question-view.ts'

/** An entity that the question starts from. `weight` 0 to 1: how sure it is that the question means it. */
export interface Anchor {
  entity: number
  weight: number
  /** True when the question names it; false when it is only near in meaning. */
  named: boolean
  /** States where the question names it. */
  place: NamePlace | null
}

/** A walk from an entity of the question along relations, each entity once. `score` is higher the more of the question it covers. */
export interface GraphPath {
  entities: number[]
  relations: number[]
  score: number
}

export interface PathBounds {
  /** Relations on one path. */
  length: number
  /** Steps that the search may try in all. */
  steps: number
  /** Paths that are returned. */
  kept: number
}

interface Walk extends GraphPath {
  /** Terms of the question by their distance from the name that the walk starts at. */
  order: readonly number[]
  /** Best score of the relations so far on the first 0, 1, 2 … of these terms. */
  covered: Float64Array
  nearness: number
  start: number
}

/** Walks that are extended from one length to the next. */
const BEAM = 48
/** Relations of one entity that are tried, the nearest to the question first. */
const BRANCHES = 48

const WEIGHT = {
  covered: 1,
  nearness: 0.5,
  entity: 0.3,
  length: 0.1,
  kind: 0.15,
  hub: 0.012,
  joined: 0.12,
  anchor: 0.25,
} as const

/**
 * Best-first walks from the anchors, bounded in width, length and steps. A question of several hops is nested around its name: "the
 * captain of the ship that the yard built" asks for the yard's ship first, for its captain then. So the words nearest to the name
 * are looked for in a walk's first relations, further ones in later relations, never the other way round. Nearness in meaning counts
 * too; length and crowded entities cost a little; walks gain that end at the kind of thing asked for, or at another entity of the
 * question. Only walks that add a relation to those before them are kept.
 */
export function findPaths(
  graph: KnowledgeGraph,
  question: QuestionView,
  anchors: readonly Anchor[],
  bounds: PathBounds,
): GraphPath[] {
  const named = new Map(anchors.map(({ entity, weight, named }) => [entity, named ? weight : 0]))
  let walks = anchors.map((anchor): Walk => {
    const start = WEIGHT.anchor * anchor.weight
    const covered = new Float64Array(question.terms.length + 1)
    const order = question.termsFrom(anchor.place)
    return { entities: [anchor.entity], relations: [], score: start, order, covered, nearness: 0, start }
  })
  const finished: Walk[] = []
  const branchesOf = memoized((entity) =>
    // A walk leaves out the relations to its own entities, one of each.
    highestAmong(graph.relationsOf(entity), question.near.relations(), BRANCHES + bounds.length),
  )
  let steps = 0
  for (let length = 1; length <= bounds.length && walks.length > 0 && steps < bounds.steps; length += 1) {
    const longer: Walk[] = []
    for (const walk of walks) {
      for (const relation of branches(graph, walk, branchesOf)) {
        if (steps >= bounds.steps) break
        steps += 1
        longer.push(extend(graph, question, walk, relation, named))
      }
    }
    walks = longer.sort(byScore).slice(0, BEAM)
    finished.push(...walks)
  }
  return withoutRepetition(finished.sort(byScore), bounds.kept)
}

const byScore = (a: Walk, b: Walk): number =>
  b.score - a.score || a.relations.length - b.relations.length || compareLists(a.relations, b.relations)

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at === -1 ? 0 : a[at]! - b[at]!
}

/** The relations that a walk is extended by, of many the nearest to the question. */
function branches(
  graph: KnowledgeGraph,
  { entities }: Walk,
  branchesOf: (entity: number) => readonly number[],
): number[] {
  const end = entities.at(-1)!
  const relations: number[] = []
  for (const relation of branchesOf(end)) {
    if (relations.length === BRANCHES) break
    if (!entities.includes(otherEnd(graph, relation, end))) relations.push(relation)
  }
  return relations
}

const otherEnd = ({ sources, targets }: KnowledgeGraph, relation: number, entity: number): number =>
  sources[relation] === entity ? targets[relation]! : sources[relation]!

function extend(
  graph: KnowledgeGraph,
  question: QuestionView,
  walk: Walk,
  relation: number,
  named: ReadonlyMap<number, number>,
): Walk {
  const end = otherEnd(graph, relation, walk.entities.at(-1)!)
  const covered = coverMore(question, walk, relation, end)
  const relations = [...walk.relations, relation]
  const nearness = walk.nearness + Math.max(0, question.near.relations()[relation]!)
  const crowd = Math.log2(1 + graph.relationsOf(end).length)
  const score =
    walk.start +
    WEIGHT.covered * covered.at(-1)! +
    (WEIGHT.nearness * nearness) / relations.length -
    WEIGHT.length * relations.length -
    WEIGHT.hub * crowd +
    WEIGHT.kind * (question.asksFor(end) ? 1 : 0) +
    WEIGHT.joined * (named.get(end) ?? 0)
  return { ...walk, entities: [...walk.entities, end], relations, covered, nearness, score }
}

/** Each further term is covered by the new relation, or by an earlier one where no later term is. */
function coverMore(question: QuestionView, walk: Walk, relation: number, end: number): Float64Array {
  const ofRelation = question.relationStrengths(relation)
  const ofEntity = question.entityStrengths(end)
  const all = question.terms.reduce((sum, { weight }) => sum + weight, 0)
  const covered = new Float64Array(walk.covered.length)
  walk.order.forEach((term, at) => {
    const strength = Math.max(ofRelation[term]!, WEIGHT.entity * ofEntity[term]!)
    const worth = all === 0 ? 0 : (question.terms[term]!.weight * strength) / all
    covered[at + 1] = Math.max(covered[at]! + worth, walk.covered[at + 1]!)
  })
  return covered
}

/** The best paths of which each has a relation that no better one has. */
function withoutRepetition(walks: readonly Walk[], kept: number): GraphPath[] {
  const seen = new Set<number>()
  const paths: GraphPath[] = []
  for (const { entities, relations, score } of walks) {
    if (relations.every((relation) => seen.has(relation))) continue
    for (const relation of relations) seen.add(relation)
    paths.push({ entities, relations, score })
    if (paths.length === kept) break
  }
  return paths
}
