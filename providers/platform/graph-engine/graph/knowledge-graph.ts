import type { VectorTable } from '../../dense-vectors.ts'
import { indexOf } from '../../models/builtin/matching/terms.ts'
import type { TermIndex } from '../../models/builtin/matching/terms.ts'
import type { StoredChunk } from '../document-store.ts'
import { normalName } from '../resolution/names.ts'
import { runThrough } from '../../sliced-work.ts'
import type { SlicedWork } from '../../sliced-work.ts'
import { partsOf } from './merged-graph.ts'
import type { MergedGraph, Parts } from './merged-graph.ts'
import type { MergedEntity, MergedRelation } from './merged-parts.ts'
import { grouped } from './numbers.ts'
import type { TextTable } from './text-table.ts'

/** An entity with its position in the graph's tables. */
export interface GraphEntity extends MergedEntity {
  index: number
}

export interface GraphRelation extends MergedRelation {
  index: number
  sourceIndex: number
  targetIndex: number
}

export interface GraphChunk extends StoredChunk {
  position: number
}

/** A finished graph: merged tables, vectors in the same order, and the topology. It never changes; a new one replaces it. */
export interface KnowledgeGraph extends Pick<
  MergedGraph,
  'sources' | 'targets' | 'chunksOfEntity' | 'chunksOfRelation'
> {
  entities: Parts<GraphEntity>
  relations: Parts<GraphRelation>
  chunks: Parts<GraphChunk>
  /** Positions of an entity's relations, ascending. */
  relationsOf(entity: number): Int32Array
  /** Positions of the entities that a normal name or alias may mean. */
  named: Lookup<readonly number[]>
  /** The names in `named` of two words or more, by each of their words. */
  namesWithWord: Lookup<readonly string[]>
  vectors: GraphVectors
}

export interface Lookup<Found> {
  get(name: string): Found | undefined
}

const EMBEDDED_CHARS = 4000

/** What is embedded for an entity: its name and its descriptions. */
const entityText = (entity: MergedEntity): string =>
  [entity.name, ...entity.statements.map(({ text }) => text)].join('\n').slice(0, EMBEDDED_CHARS)

/** What is embedded for a relation: its keywords, the names of both ends and its descriptions. */
const relationText = (relation: MergedRelation, source: string, target: string): string =>
  [relation.keywords.join(', '), `${source}, ${target}`, ...relation.statements.map(({ text }) => text)]
    .join('\n')
    .slice(0, EMBEDDED_CHARS)

/** The vectors of a graph's parts, in the order of its tables. */
export interface GraphVectors {
  entities: VectorTable
  relations: VectorTable
  chunks: VectorTable
}

/** The texts whose vectors a graph needs, table by table; each text is put together only when it is asked for. */
export function textsToEmbed({
  entities,
  relations,
  chunks,
  sources,
  targets,
}: MergedGraph): Record<keyof GraphVectors, { count: number; text: (row: number) => string }> {
  const nameOf = bounded((entity: number) => entities.at(entity).name)
  return {
    entities: { count: entities.length, text: (row) => entityText(entities.at(row)) },
    relations: {
      count: relations.length,
      text: (row) => relationText(relations.at(row), nameOf(sources[row]!), nameOf(targets[row]!)),
    },
    chunks: { count: chunks.length, text: (row) => chunks.at(row).content },
  }
}

/** Builds the graph of the tables. */
export const createKnowledgeGraph = (merged: MergedGraph, vectors: GraphVectors): KnowledgeGraph =>
  runThrough(creatingKnowledgeGraph(merged, vectors))

/** The construction in slices. */
export function* creatingKnowledgeGraph(merged: MergedGraph, vectors: GraphVectors): SlicedWork<KnowledgeGraph> {
  const { sources, targets, texts } = merged
  const named = yield* namesOf(merged)
  const { from, rows } = yield* relationsByEntity(merged)
  return {
    entities: kept(merged.entities, (entity, index) => ({ ...entity, index })),
    relations: kept(merged.relations, (relation, index) => ({
      ...relation,
      index,
      sourceIndex: sources[index]!,
      targetIndex: targets[index]!,
    })),
    chunks: kept(merged.chunks, (chunk, position) => ({ ...chunk, position })),
    sources,
    targets,
    chunksOfEntity: (entity) => merged.chunksOfEntity(entity),
    chunksOfRelation: (relation) => merged.chunksOfRelation(relation),
    relationsOf: (entity) => rows.subarray(from[entity], from[entity + 1]),
    named: { get: (name) => entitiesNamed(named, texts.find(name)) },
    namesWithWord: yield* namesWithWord(named.keys(), texts),
    vectors,
  }
}

function* relationsByEntity({ sources, targets, entities }: MergedGraph) {
  const ends = new Int32Array(2 * sources.length)
  for (let relation = 0; relation < sources.length; relation += 1) {
    ends[2 * relation] = sources[relation]!
    ends[2 * relation + 1] = targets[relation]!
  }
  yield
  const { from, rows } = grouped(ends, entities.length)
  return { from, rows: rows.map((end) => end >> 1) }
}

/** Entities by the texts of their names; one position for most, a list where several have the name. */
type Named = Map<number, number | number[]>

function entitiesNamed(named: Named, text: number | undefined): readonly number[] | undefined {
  const found = text === undefined ? undefined : named.get(text)
  return typeof found === 'number' ? [found] : found
}

function* namesOf({ entities, texts }: MergedGraph): SlicedWork<Named> {
  const named: Named = new Map()
  for (let index = 0; index < entities.length; index += 1) {
    yield
    const { id, aliases } = entities.at(index)
    for (const name of new Set([id, ...aliases.map(normalName)])) {
      if (name === '') continue
      const text = texts.add(name)
      const known = named.get(text)
      if (known === undefined) named.set(text, index)
      else if (typeof known === 'number') named.set(text, [known, index])
      else known.push(index)
    }
  }
  return named
}

function* namesWithWord(names: Iterable<number>, texts: TextTable): SlicedWork<Lookup<readonly string[]>> {
  const byWord = new Map<number, number[]>()
  for (const name of names) {
    yield
    const words = texts.text(name).split(' ')
    if (words.length < 2) continue
    for (const word of new Set(words)) {
      const text = texts.add(word)
      const known = byWord.get(text)
      if (known === undefined) byWord.set(text, [name])
      else known.push(name)
    }
  }
  return {
    get(word) {
      const text = texts.find(word)
      return text === undefined ? undefined : byWord.get(text)?.map((name) => texts.text(name))
    },
  }
}

/** Parts of each kind that stay put together for the questions that follow: many ask about the same ones. */
const PARTS_KEPT = 1000

function kept<Merged, Part>(merged: Parts<Merged>, complete: (part: Merged, index: number) => Part): Parts<Part> {
  return partsOf(
    merged.length,
    bounded((index) => complete(merged.at(index), index)),
  )
}

/** A function of a position that remembers its last results, in two generations. */
function bounded<Value>(compute: (index: number) => Value): (index: number) => Value {
  let young = new Map<number, Value>()
  let old = new Map<number, Value>()
  return (index) => {
    const known = young.get(index)
    if (known !== undefined) return known
    const value = old.get(index) ?? compute(index)
    if (young.size >= PARTS_KEPT) {
      old = young
      young = new Map()
    }
    young.set(index, value)
    return value
  }
}

/** The graph for one question: a part that is read twice is the same object, so that sets and orders can hold it. */
export function forOneQuestion(graph: KnowledgeGraph): KnowledgeGraph {
  const same = <Part>(parts: Parts<Part>): Parts<Part> => {
    const read = new Map<number, Part>()
    return partsOf(parts.length, (index) => {
      const part = read.get(index) ?? parts.at(index)
      read.set(index, part)
      return part
    })
  }
  return { ...graph, entities: same(graph.entities), relations: same(graph.relations), chunks: same(graph.chunks) }
}

/** Indexes that are kept: a question compares up to some hundreds of parts, and a large graph has a hundred thousand. */
const INDEXES_KEPT = 2000

// Parts of a graph never change. Two generations, as in `bounded`; weak, so that a replaced graph can go.
let young = new WeakMap<GraphEntity | GraphRelation, TermIndex>()
let old = new WeakMap<GraphEntity | GraphRelation, TermIndex>()
let youngCount = 0

/** The words of a relation's keywords and descriptions. */
export function relationTerms(relation: GraphRelation): TermIndex {
  return keptTerms(relation, () =>
    [relation.keywords.join(' '), ...relation.statements.map(({ text }) => text)].join('\n'),
  )
}

/** The words of an entity's type, name and descriptions. */
export function entityTerms(entity: GraphEntity): TermIndex {
  return keptTerms(entity, () => `${entity.type}\n${entityText(entity)}`)
}

function keptTerms(part: GraphEntity | GraphRelation, textOf: () => string): TermIndex {
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
