import { expect, it } from 'vitest'
import type { GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { findPaths } from './find-paths.ts'
import type { QuestionView } from './question-view.ts'

/** Entity 0 is named; entities 1 to `spokes` touch it and the hub, which is the last entity. */
function wheel(spokes: number) {
  const hub = spokes + 1
  const entities = Array.from({ length: spokes + 2 }, (_, index) => ({ index, id: `e${index}` }) as GraphEntity)
  const ends = Array.from({ length: spokes }, (_, at) => [
    [0, at + 1],
    [at + 1, hub],
  ]).flat()
  const relations = ends.map(
    ([sourceIndex, targetIndex], index) => ({ index, sourceIndex, targetIndex }) as GraphRelation,
  )
  const edges = entities.map(({ index }) =>
    relations
      .filter(({ sourceIndex, targetIndex }) => sourceIndex === index || targetIndex === index)
      .map((relation) => relation.index),
  )
  const graph = {
    entities,
    relations,
    sources: Int32Array.from(relations, ({ sourceIndex }) => sourceIndex),
    targets: Int32Array.from(relations, ({ targetIndex }) => targetIndex),
    relationsOf: (entity: number) => Int32Array.from(edges[entity]!),
  }
  return { hub, graph: graph as unknown as KnowledgeGraph }
}

/** A question of one term that the relations from each spoke to the hub match, the later ones better. */
function question(spokes: number) {
  let asked = 0
  const strength = (index: number): number => (index % 2 === 1 ? index / (2 * spokes) : 0)
  const nearness = Float32Array.from({ length: 2 * spokes }, (_, index) => strength(index))
  const view = {
    terms: [{ weight: 1 }],
    termsFrom: () => [0],
    near: {
      relations: () => {
        asked += 1
        return nearness
      },
    },
    relationStrengths: (relation: number) => [strength(relation)],
    entityStrengths: () => [0],
    asksFor: () => false,
  } as unknown as QuestionView
  return { view, asked: () => asked }
}

const bounds = { length: 3, steps: 5000, kept: 5 }

it('walks from the named entity over the relations that cover the question, best first', () => {
  const { graph, hub } = wheel(6)
  const { view } = question(6)
  const [best] = findPaths(graph, view, [{ entity: 0, weight: 1, named: true, place: null }], bounds)
  expect(best!.entities).toEqual([0, 6, hub])
  expect(best!.relations).toEqual([10, 11])
})

it('puts the relations of a crowded entity in order once, however many walks end there', () => {
  const spokes = 2000
  const { graph } = wheel(spokes)
  const { view, asked } = question(spokes)
  findPaths(graph, view, [{ entity: 0, weight: 1, named: true, place: null }], bounds)
  // Each relation once from each of its ends, and once for each step that takes it.
  expect(asked()).toBeLessThanOrEqual(2 * graph.relations.length + bounds.steps)
})
