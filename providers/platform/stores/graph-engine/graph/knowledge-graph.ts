import type { VectorTable } from '../../vectors/dense-vectors.ts'
import type { StoredChunk } from '../stored-graph.ts'
import { normalName } from '../resolution/names.ts'
import type { SlicedWork } from '../../../../../core/sliced-work.ts'
import { partsOf } from './merged-graph.ts'
import type { MergedGraph, Parts } from './merged-graph.ts'
import type { MergedEntity, MergedRelation } from './merged-parts.ts'
import { createNumbers, grouped, groupedValues, rowsOf } from '../../columns/numbers.ts'
import type { Groups } from '../../columns/numbers.ts'
import { splittingTexts } from './part-words.ts'
import type { PartWords } from './part-words.ts'
import type { TextTable } from '../../columns/text-table.ts'

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
  /** Name of the entity that led to it from a passage of another search. */
  via?: string | undefined
}

/** A finished graph: merged tables, vectors in the same order, and the topology. It never changes; a new one replaces it. */
export interface KnowledgeGraph extends Pick<
  MergedGraph,
  'sources' | 'targets' | 'chunksOfEntity' | 'chunksOfRelation' | 'textsOfEntity' | 'textsOfRelation' | 'texts'
> {
  entities: Parts<GraphEntity>
  relations: Parts<GraphRelation>
  chunks: Parts<GraphChunk>
  /** Positions of an entity's relations, ascending. */
  relationsOf(entity: number): Int32Array
  /** Positions of the entities that a chunk mentions, ascending. */
  entitiesOfChunk(chunk: number): Int32Array
  /** Positions of the chunks of a file, by its path. */
  chunksOfFile: Lookup<readonly number[]>
  /** Positions of the entities that a normal name or alias may mean. */
  named: Lookup<readonly number[]>
  /** The names in `named` of two words or more, by each of their words. */
  namesWithWord: Lookup<readonly string[]>
  vectors: GraphVectors
  /** By entity: numbers of the texts of its name and its type. */
  labels: { names: Int32Array; types: Int32Array }
  words: PartWords
}

export interface Lookup<Found> {
  get(name: string): Found | undefined
}

const EMBEDDED_CHARS = 4000

/** Returns what is embedded for an entity: its name and its descriptions. */
const entityText = (entity: MergedEntity): string =>
  [entity.name, ...entity.statements.map(({ text }) => text)].join('\n').slice(0, EMBEDDED_CHARS)

/** Returns what is embedded for a relation: its keywords, the names of both ends and its descriptions. */
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
  const nameOf = memoizedByIndex((entity: number) => entities.at(entity).name)
  return {
    entities: { count: entities.length, text: (row) => entityText(entities.at(row)) },
    relations: {
      count: relations.length,
      text: (row) => relationText(relations.at(row), nameOf(sources[row]!), nameOf(targets[row]!)),
    },
    chunks: { count: chunks.length, text: (row) => chunks.at(row).content },
  }
}

/** Builds the graph of the tables, in slices. */
export function* creatingKnowledgeGraph(merged: MergedGraph, vectors: GraphVectors): SlicedWork<KnowledgeGraph> {
  const { sources, targets, texts } = merged
  const { named, labels, namesWithWord } = yield* namesOf(merged)
  const words = yield* wordsOf(merged, labels)
  const { from, rows } = yield* relationsByEntity(merged)
  const mentioned = yield* entitiesByChunk(merged)
  const files = yield* chunksByFile(merged)
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
    textsOfEntity: (entity) => merged.textsOfEntity(entity),
    textsOfRelation: (relation) => merged.textsOfRelation(relation),
    texts,
    labels,
    words,
    relationsOf: (entity) => rows.subarray(from[entity], from[entity + 1]),
    entitiesOfChunk: (chunk) => rowsOf(mentioned, chunk),
    chunksOfFile: lookupIn(texts, files),
    named: lookupIn(texts, named),
    namesWithWord: textsIn(texts, namesWithWord),
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

function* entitiesByChunk(merged: MergedGraph): SlicedWork<Groups> {
  const { entities, chunks } = merged
  const [holders, held] = [createNumbers(), createNumbers()]
  for (let entity = 0; entity < entities.length; entity += 1) {
    for (const chunk of merged.chunksOfEntity(entity)) {
      holders.push(chunk)
      held.push(entity)
    }
    yield
  }
  return groupedValues(holders.done(), chunks.length, held.done())
}

function* chunksByFile({ chunks, texts }: MergedGraph): SlicedWork<Groups> {
  const files = createNumbers()
  for (let chunk = 0; chunk < chunks.length; chunk += 1) {
    files.push(texts.add(chunks.at(chunk).filePath))
    yield
  }
  return grouped(files.done(), texts.size)
}

/** Looks up what is grouped by text. These are functions of their own, so that they keep nothing else of the construction in memory. */
const lookupIn = (texts: TextTable, groups: Groups): Lookup<readonly number[]> => ({
  get(name) {
    const text = texts.find(name)
    const found = text === undefined ? [] : Array.from(rowsOf(groups, text))
    return found.length === 0 ? undefined : found
  },
})

const textsIn = (texts: TextTable, groups: Groups): Lookup<readonly string[]> => {
  const numbers = lookupIn(texts, groups)
  return { get: (word) => numbers.get(word)?.map((number) => texts.text(number)) }
}

/** Entities by the texts of their names, and names by the texts of their words. */
function* namesOf({ entities, texts }: MergedGraph): SlicedWork<{
  named: Groups
  namesWithWord: Groups
  labels: KnowledgeGraph['labels']
}> {
  const [names, bearers] = [createNumbers(), createNumbers()]
  const labels = { names: new Int32Array(entities.length), types: new Int32Array(entities.length) }
  for (let index = 0; index < entities.length; index += 1) {
    yield
    const { id, aliases, name: shown, type } = entities.at(index)
    labels.names[index] = texts.add(shown)
    labels.types[index] = texts.add(type)
    for (const name of new Set([id, ...aliases.map(normalName)])) {
      if (name === '') continue
      names.push(texts.add(name))
      bearers.push(index)
    }
  }
  const all = names.done()
  const namesWithWord = yield* namesByWord(all, texts)
  return { labels, namesWithWord, named: groupedValues(all, texts.size, bearers.done()) }
}

/** Names of several words by the text of each of their words. */
function* namesByWord(names: Int32Array, texts: TextTable): SlicedWork<Groups> {
  const isSeen = new Uint8Array(texts.size)
  const [words, holders] = [createNumbers(), createNumbers()]
  for (const name of names) {
    if (isSeen[name] === 1) continue
    isSeen[name] = 1
    yield
    const own = texts.text(name).split(' ')
    if (own.length < 2) continue
    for (const word of new Set(own)) {
      words.push(texts.add(word))
      holders.push(name)
    }
  }
  return groupedValues(words.done(), texts.size, holders.done())
}

/** The words of all that questions compare: names, types, keywords and descriptions, of an entity as much as is embedded. */
function* wordsOf(merged: MergedGraph, { names, types }: KnowledgeGraph['labels']): SlicedWork<PartWords> {
  const { texts } = merged
  const wanted = new Uint8Array(texts.size)
  const cut = new Map<number, string>()
  for (let relation = 0; relation < merged.relations.length; relation += 1) {
    for (const text of merged.textsOfRelation(relation)) wanted[text] = 1
    yield
  }
  for (let entity = 0; entity < names.length; entity += 1) {
    wanted[types[entity]!] = 1
    const { whole, last } = embeddedTexts(merged, names, entity)
    for (const text of whole) wanted[text] = 1
    if (last !== null) cut.set(entity, texts.text(last.text).slice(0, last.length))
    yield
  }
  return yield* splittingTexts(texts, wanted, cut)
}

/** Texts that are embedded for an entity: those that fit, and how much of the next one. */
export function embeddedTexts(
  { texts, textsOfEntity }: Pick<MergedGraph, 'texts' | 'textsOfEntity'>,
  names: Int32Array,
  entity: number,
): { whole: number[]; last: { text: number; length: number } | null } {
  const whole: number[] = []
  let room = EMBEDDED_CHARS
  for (const text of [names[entity]!, ...textsOfEntity(entity)]) {
    const length = texts.lengthOf(text)
    if (length > room) return { whole, last: room > 0 ? { text, length: room } : null }
    whole.push(text)
    // One for the line end.
    room -= length + 1
  }
  return { whole, last: null }
}

/** Parts of each kind that stay put together for the questions that follow: many ask about the same ones. */
const PARTS_KEPT = 1000

function kept<Merged, Part>(merged: Parts<Merged>, complete: (part: Merged, index: number) => Part): Parts<Part> {
  return partsOf(
    merged.length,
    memoizedByIndex((index) => complete(merged.at(index), index)),
  )
}

/** A function of a position that remembers its last results, in two generations. */
function memoizedByIndex<Value>(compute: (index: number) => Value): (index: number) => Value {
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
