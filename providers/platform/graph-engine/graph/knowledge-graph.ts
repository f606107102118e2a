import { UndirectedGraph } from 'graphology'
import type { VectorTable } from '../../dense-vectors.ts'
import { indexOf } from '../../models/builtin/matching/terms.ts'
import type { TermIndex } from '../../models/builtin/matching/terms.ts'
import type { StoredChunk } from '../document-store.ts'
import { normalName } from '../resolution/names.ts'
import { runThrough } from '../../sliced-work.ts'
import type { SlicedWork } from '../../sliced-work.ts'
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
  vectors: GraphVectors
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

/** The vectors of a graph's parts, in the order of its tables. */
export interface GraphVectors {
  entities: VectorTable
  relations: VectorTable
  chunks: VectorTable
}

/** The texts whose vectors a graph needs, table by table; each text is put together only when it is asked for. */
export function textsToEmbed(
  merged: MergedGraph,
  chunks: readonly StoredChunk[],
): Record<keyof GraphVectors, { count: number; text: (row: number) => string }> {
  const names = new Map(merged.entities.map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id)!
  return {
    entities: { count: merged.entities.length, text: (row) => entityText(merged.entities[row]!) },
    relations: { count: merged.relations.length, text: (row) => relationText(merged.relations[row]!, nameOf) },
    chunks: { count: chunks.length, text: (row) => chunks[row]!.content },
  }
}

/** Builds the graph of the tables. */
export const createKnowledgeGraph = (
  merged: MergedGraph,
  chunks: readonly StoredChunk[],
  vectors: GraphVectors,
): KnowledgeGraph => runThrough(creatingKnowledgeGraph(merged, chunks, vectors))

/** The construction in slices. */
export function* creatingKnowledgeGraph(
  merged: MergedGraph,
  chunks: readonly StoredChunk[],
  vectors: GraphVectors,
): SlicedWork<KnowledgeGraph> {
  const entityIndex = new Map(merged.entities.map(({ id }, index) => [id, index]))
  const chunkPositions = new Map(chunks.map(({ id }, position) => [id, position]))
  yield
  const graphChunks: GraphChunk[] = []
  for (const { id, documentId, filePath, title, index, tokens, content } of chunks) {
    const chunk = { id, documentId, filePath, title, index, tokens, content }
    graphChunks.push({ ...chunk, position: graphChunks.length, entities: [], relations: [] })
    yield
  }
  const chunkWith = (id: string): GraphChunk => graphChunks[chunkPositions.get(id)!]!
  const entities: GraphEntity[] = []
  for (const merging of merged.entities) {
    const entity = { ...merging, index: entities.length }
    entities.push(entity)
    for (const id of entity.chunkIds) chunkWith(id).entities.push(entity.index)
    yield
  }
  const relations: GraphRelation[] = []
  for (const merging of merged.relations) {
    const sourceIndex = entityIndex.get(merging.source)!
    const targetIndex = entityIndex.get(merging.target)!
    const relation = { ...merging, index: relations.length, sourceIndex, targetIndex }
    relations.push(relation)
    for (const id of relation.chunkIds) chunkWith(id).relations.push(relation.index)
    yield
  }
  const named = yield* namesOf(entities)
  return {
    entities,
    relations,
    chunks: graphChunks,
    topology: yield* topologyOf(entities, relations),
    named,
    namesWithWord: yield* namesWithWord(named.keys()),
    chunkPositions,
    vectors,
  }
}

function* topologyOf(
  entities: readonly GraphEntity[],
  relations: readonly GraphRelation[],
): SlicedWork<KnowledgeGraph['topology']> {
  const topology: KnowledgeGraph['topology'] = new UndirectedGraph()
  for (const { id, index } of entities) {
    topology.addNode(id, { index })
    yield
  }
  for (const { source, target, index, weight } of relations) {
    topology.addEdge(source, target, { index, weight })
    yield
  }
  return topology
}

function* namesOf(entities: readonly GraphEntity[]): SlicedWork<Map<string, number[]>> {
  const named = new Map<string, number[]>()
  for (const { id, aliases, index } of entities) {
    yield
    for (const name of new Set([id, ...aliases.map(normalName)])) {
      if (name === '') continue
      const known = named.get(name)
      if (known === undefined) named.set(name, [index])
      else known.push(index)
    }
  }
  return named
}

function* namesWithWord(names: Iterable<string>): SlicedWork<Map<string, string[]>> {
  const byWord = new Map<string, string[]>()
  for (const name of names) {
    yield
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

/** Indexes that are kept: a question compares up to some hundreds of parts, and a large graph has a hundred thousand. */
const INDEXES_KEPT = 2000

// Parts of a graph never change. Two generations, as in `bounded`; weak, so that a replaced graph can go.
let young = new WeakMap<GraphEntity | GraphRelation, TermIndex>()
let old = new WeakMap<GraphEntity | GraphRelation, TermIndex>()
let youngCount = 0

/** The words of a relation's keywords and descriptions. */
export function relationTerms(relation: GraphRelation): TermIndex {
  return kept(relation, () => [relation.keywords.join(' '), ...relation.statements.map(({ text }) => text)].join('\n'))
}

/** The words of an entity's type, name and descriptions. */
export function entityTerms(entity: GraphEntity): TermIndex {
  return kept(entity, () => `${entity.type}\n${entityText(entity)}`)
}

function kept(part: GraphEntity | GraphRelation, textOf: () => string): TermIndex {
  const known = young.get(part)
  if (known !== undefined) return known
  const index = old.get(part) ?? indexOf(textOf())
  if (youngCount >= INDEXES_KEPT) {
    old = young
    young = new WeakMap()
    youngCount = 0
  }
  young.set(part, index)
  youngCount += 1
  return index
}
