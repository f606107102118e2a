import { UndirectedGraph } from 'graphology'
import { createVectorTable } from '../../dense-vectors.ts'
import type { VectorTable } from '../../dense-vectors.ts'
import { indexOf } from '../../models/builtin/matching/terms.ts'
import type { TermIndex } from '../../models/builtin/matching/terms.ts'
import type { ExtractedChunk, StoredChunk } from '../document-store.ts'
import { normalName } from '../resolution/names.ts'
import type { MergedEntity, MergedGraph, MergedRelation } from './merge.ts'

/** An entity with its position in the graph's tables. */
export interface GraphEntity extends MergedEntity {
  index: number
}

export interface GraphRelation extends MergedRelation {
  index: number
  sourceIndex: number
  targetIndex: number
}

/** A chunk with the graph parts that were found in it, by position. */
export interface GraphChunk extends StoredChunk {
  position: number
  entities: number[]
  relations: number[]
}

/** A finished graph in memory: merged tables, vectors in the same order, and the topology. It never changes; a new one replaces it. */
export interface KnowledgeGraph {
  entities: readonly GraphEntity[]
  relations: readonly GraphRelation[]
  chunks: readonly GraphChunk[]
  /** Nodes are entity ids; each edge holds the position of its relation. */
  topology: UndirectedGraph<{ index: number }, { index: number; weight: number }>
  /** Positions of the entities that a normal name or alias may mean. */
  named: ReadonlyMap<string, readonly number[]>
  /** The names in `named` of two words or more, by each of their words. */
  namesWithWord: ReadonlyMap<string, readonly string[]>
  chunkPositions: ReadonlyMap<string, number>
  vectors: { entities: VectorTable; relations: VectorTable; chunks: VectorTable }
}

const EMBEDDED_CHARS = 4000

/** What is embedded for an entity: its name and its descriptions. */
export const entityText = (entity: MergedEntity): string =>
  [entity.name, ...entity.statements.map(({ text }) => text)].join('\n').slice(0, EMBEDDED_CHARS)

/** What is embedded for a relation: its keywords, both names and its descriptions. */
export const relationText = (relation: MergedRelation, nameOf: (id: string) => string): string =>
  [
    relation.keywords.join(', '),
    `${nameOf(relation.source)}, ${nameOf(relation.target)}`,
    ...relation.statements.map(({ text }) => text),
  ]
    .join('\n')
    .slice(0, EMBEDDED_CHARS)

/** Every text whose vector a graph needs, in the order of its tables. */
export function textsToEmbed(merged: MergedGraph, chunks: readonly StoredChunk[]): string[][] {
  const names = new Map(merged.entities.map(({ id, name }) => [id, name]))
  return [
    merged.entities.map(entityText),
    merged.relations.map((relation) => relationText(relation, (id) => names.get(id)!)),
    chunks.map(({ content }) => content),
  ]
}

/** Builds the graph of the tables. `vectors` are in the order of `textsToEmbed`. */
export function createKnowledgeGraph(
  merged: MergedGraph,
  chunks: readonly ExtractedChunk[],
  vectors: readonly Float32Array[][],
): KnowledgeGraph {
  const entityIndex = new Map(merged.entities.map(({ id }, index) => [id, index]))
  const entities = merged.entities.map((entity, index) => ({ ...entity, index }))
  const relations = merged.relations.map((relation, index) => ({
    ...relation,
    index,
    sourceIndex: entityIndex.get(relation.source)!,
    targetIndex: entityIndex.get(relation.target)!,
  }))
  const chunkPositions = new Map(chunks.map(({ id }, position) => [id, position]))
  const graphChunks = chunks.map(({ extraction: _, ...chunk }, position): GraphChunk => ({
    ...chunk,
    position,
    entities: [],
    relations: [],
  }))
  for (const entity of entities)
    for (const id of entity.chunkIds) graphChunks[chunkPositions.get(id)!]!.entities.push(entity.index)
  for (const relation of relations) {
    for (const id of relation.chunkIds) graphChunks[chunkPositions.get(id)!]!.relations.push(relation.index)
  }
  const named = namesOf(entities)
  const [entityVectors, relationVectors, chunkVectors] = vectors.map((rows) => createVectorTable(rows))
  return {
    entities,
    relations,
    chunks: graphChunks,
    topology: topologyOf(entities, relations),
    named,
    namesWithWord: namesWithWord(named.keys()),
    chunkPositions,
    vectors: { entities: entityVectors!, relations: relationVectors!, chunks: chunkVectors! },
  }
}

function topologyOf(entities: readonly GraphEntity[], relations: readonly GraphRelation[]): KnowledgeGraph['topology'] {
  const topology: KnowledgeGraph['topology'] = new UndirectedGraph()
  for (const { id, index } of entities) topology.addNode(id, { index })
  for (const { source, target, index, weight } of relations) topology.addEdge(source, target, { index, weight })
  return topology
}

function namesOf(entities: readonly GraphEntity[]): Map<string, number[]> {
  const named = new Map<string, number[]>()
  for (const { id, aliases, index } of entities) {
    for (const name of new Set([id, ...aliases.map(normalName)])) {
      if (name !== '') named.set(name, [...(named.get(name) ?? []), index])
    }
  }
  return named
}

function namesWithWord(names: Iterable<string>): Map<string, string[]> {
  const byWord = new Map<string, string[]>()
  for (const name of names) {
    const words = name.split(' ')
    if (words.length < 2) continue
    for (const word of new Set(words)) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [name])
      else known.push(name)
    }
  }
  return byWord
}

// Parts of a graph never change and live as long as it does, so their indexes are cached with them.
const indexes = new WeakMap<GraphEntity | GraphRelation, TermIndex>()

/** The words of a relation's keywords and descriptions. */
export function relationTerms(relation: GraphRelation): TermIndex {
  return kept(relation, () => [relation.keywords.join(' '), ...relation.statements.map(({ text }) => text)].join('\n'))
}

/** The words of an entity's type, name and descriptions. */
export function entityTerms(entity: GraphEntity): TermIndex {
  return kept(entity, () => `${entity.type}\n${entityText(entity)}`)
}

function kept(part: GraphEntity | GraphRelation, textOf: () => string): TermIndex {
  const known = indexes.get(part) ?? indexOf(textOf())
  indexes.set(part, known)
  return known
}
