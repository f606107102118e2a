import type { StoredChunk } from '../stored-graph.ts'
import { reading, resolvingNames, type ExtractedDocuments } from '../resolution/resolve-names.ts'
import type { SlicedWork } from '../../../../../core/sliced-work.ts'
import { createMentionCollector, KEYWORD_SEPARATOR, NO_TEXT } from './mentions.ts'
import type { Mentions } from './mentions.ts'
import { mergedEntity, mergedRelation } from './merged-parts.ts'
import type { MergedEntity, MergedRelation } from './merged-parts.ts'
import { grouped, release, rowsOf } from '../../columns/numbers.ts'
import type { Groups } from '../../columns/numbers.ts'
import type { TextTable } from '../../columns/text-table.ts'

/** Parts of a graph in their order, each put together when it is read. */
export interface Parts<Part> extends Iterable<Part> {
  readonly length: number
  at(index: number): Part
}

/**
 * A merged graph as numbers: which chunk mentions which entity or relation, and how. An object of JavaScript for each part would take ten
 * times the memory; a part becomes one when a question reads it.
 */
export interface MergedGraph {
  /** Sorted by id. */
  entities: Parts<MergedEntity>
  /** Sorted by the ids of both ends. */
  relations: Parts<MergedRelation>
  chunks: Parts<StoredChunk>
  texts: TextTable
  /** Position of the entity at each end of a relation, in the direction that texts use most. */
  sources: Int32Array
  targets: Int32Array
  /** Positions of the chunks that mention a part, in order. */
  chunksOfEntity(entity: number): number[]
  chunksOfRelation(relation: number): number[]
  /** Numbers of the texts that describe a part, as many as it keeps: of an entity its descriptions, of a relation also its keywords. */
  textsOfEntity(entity: number): number[]
  textsOfRelation(relation: number): number[]
}

/** Parts that `read` puts together. */
export const partsOf = <Part>(length: number, read: (index: number) => Part): Parts<Part> => ({
  length,
  at: read,
  *[Symbol.iterator]() {
    for (let index = 0; index < length; index += 1) yield read(index)
  },
})

/**
 * Merges the extractions of a corpus into one graph, entities and relations sorted by id, in slices. A pure function of its input: weights,
 * chunk ids and file paths are counted from scratch, so a removed document leaves no trace.
 */
export function* mergingExtractions(documents: ExtractedDocuments, descriptionsKept: number): SlicedWork<MergedGraph> {
  return yield* mergingMentions(yield* collectingMentions(documents), descriptionsKept)
}

/**
 * Collects what the documents mention. They are read twice, one at a time: for the names of the corpus, then for what they mention. On its own, so that the names
 * of the corpus, and the maps of all entities and relations, are not in memory while the mentions are put together.
 */
function* collectingMentions(documents: ExtractedDocuments): SlicedWork<Mentions> {
  const resolverOf = yield* resolvingNames(documents)
  const mentions = createMentionCollector()
  for (const chunks of documents) {
    const document = yield* reading(chunks)
    const resolve = yield* resolverOf(document)
    for (const chunk of document) {
      yield
      mentions.add(chunk, resolve)
    }
  }
  return mentions.done()
}

/** Puts the mentions of each part together, in slices. What only their order needs is freed. */
function* mergingMentions(mentions: Mentions, descriptionsKept: number): SlicedWork<MergedGraph> {
  return graphOf(mentions, yield* placingMentions(mentions), descriptionsKept)
}

/** Mentions by the entities and relations of the graph, and the text of each entity's id. */
interface Placed {
  byEntity: Groups
  byRelation: Groups
  idOf: Int32Array
  sources: Int32Array
  targets: Int32Array
}

function* placingMentions(mentions: Mentions): SlicedWork<Placed> {
  const { texts, ids, ofEntities, ofRelations } = mentions
  const names = ids.map((id) => texts.text(id))
  yield
  const order = yield* sortedByName(names)
  const placeOf = inverse(order)
  yield
  const ends = replaced(mentions.ends, placeOf)
  const relationOrder = yield* sortedPairs(ends, order.length)
  const relationPlaceOf = inverse(relationOrder)
  yield
  const byEntity = grouped(replaced(ofEntities.entity, placeOf), order.length)
  yield
  const byRelation = grouped(replaced(ofRelations.relation, relationPlaceOf), relationOrder.length)
  yield
  const idOf = order.map((entity) => ids[entity]!)
  const sources = new Int32Array(relationOrder.length)
  const targets = new Int32Array(relationOrder.length)
  for (let relation = 0; relation < relationOrder.length; relation += 1) {
    const first = 2 * relationOrder[relation]!
    const turned = isMostlyReversed(ofRelations.isReversed, rowsOf(byRelation, relation))
    sources[relation] = ends[turned ? first + 1 : first]!
    targets[relation] = ends[turned ? first : first + 1]!
    yield
  }
  release(ofEntities.entity, ofRelations.relation, ofRelations.isReversed, ends, placeOf, relationPlaceOf)
  return { byEntity, byRelation, idOf, sources, targets }
}

/** Each number becomes its place. */
function replaced(numbers: Int32Array<ArrayBuffer>, placeOf: Int32Array): Int32Array<ArrayBuffer> {
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = placeOf[numbers[at]!]!
  return numbers
}

function graphOf(
  { texts, ofEntities, ofRelations, chunks }: Mentions,
  { byEntity, byRelation, idOf, sources, targets }: Placed,
  descriptionsKept: number,
): MergedGraph {
  const kept = (descriptionOf: Int32Array, rows: Int32Array): number[] => {
    const found = new Set<number>()
    for (const row of rows) {
      if (found.size === descriptionsKept) break
      if (descriptionOf[row] !== NO_TEXT) found.add(descriptionOf[row]!)
    }
    return [...found]
  }
  const textOf = (number: number): string | null => (number === NO_TEXT ? null : texts.text(number))
  const placed = (description: number, chunk: number) => ({
    description: textOf(description),
    chunkId: texts.text(chunks.id[chunk]!),
    filePath: texts.text(chunks.filePath[chunk]!),
  })
  return {
    texts,
    sources,
    targets,
    entities: partsOf(idOf.length, (entity) => {
      const rows = Array.from(rowsOf(byEntity, entity), (row) => ({
        spelling: texts.text(ofEntities.spelling[row]!),
        count: ofEntities.count[row]!,
        type: textOf(ofEntities.type[row]!),
        ...placed(ofEntities.description[row]!, ofEntities.chunk[row]!),
      }))
      return mergedEntity(texts.text(idOf[entity]!), rows, descriptionsKept)
    }),
    relations: partsOf(sources.length, (relation) => {
      const rows = Array.from(rowsOf(byRelation, relation), (row) => ({
        keywords: textOf(ofRelations.keywords[row]!)?.split(KEYWORD_SEPARATOR) ?? [],
        ...placed(ofRelations.description[row]!, ofRelations.chunk[row]!),
      }))
      const idAt = (entity: number): string => texts.text(idOf[entity]!)
      return mergedRelation([idAt(sources[relation]!), idAt(targets[relation]!)], rows, descriptionsKept)
    }),
    chunks: partsOf(chunks.id.length, (chunk) => ({
      id: texts.text(chunks.id[chunk]!),
      documentId: texts.text(chunks.documentId[chunk]!),
      filePath: texts.text(chunks.filePath[chunk]!),
      title: texts.text(chunks.title[chunk]!),
      index: chunks.index[chunk]!,
      tokens: chunks.tokens[chunk]!,
      content: texts.text(chunks.content[chunk]!),
    })),
    chunksOfEntity: (entity) => distinct(ofEntities.chunk, rowsOf(byEntity, entity)),
    chunksOfRelation: (relation) => distinct(ofRelations.chunk, rowsOf(byRelation, relation)),
    textsOfEntity: (entity) => kept(ofEntities.description, rowsOf(byEntity, entity)),
    textsOfRelation(relation) {
      const rows = rowsOf(byRelation, relation)
      const keywords = distinct(ofRelations.keywords, rows).filter((text) => text !== NO_TEXT)
      return [...keywords, ...kept(ofRelations.description, rows)]
    },
  }
}

const distinct = (chunkOf: Int32Array, rows: Int32Array): number[] => [
  ...new Set(Array.from(rows, (row) => chunkOf[row]!)),
]

/** Which direction most mentions have; of equally frequent ones the one that came first. */
function isMostlyReversed(isReversed: Int32Array, rows: Int32Array): boolean {
  let reversed = 0
  for (const row of rows) reversed += isReversed[row]!
  return 2 * reversed === rows.length ? isReversed[rows[0]!] === 1 : 2 * reversed > rows.length
}

function inverse(order: Int32Array): Int32Array<ArrayBuffer> {
  const places = new Int32Array(order.length)
  for (let place = 0; place < order.length; place += 1) places[order[place]!] = place
  return places
}

/** Names that are sorted, or merged, in one slice. */
const SORTED_AT_ONCE = 2000

/** Positions of different names in the order of the names: parts are sorted, then merged in pairs. */
function* sortedByName(names: readonly string[]): SlicedWork<Int32Array> {
  let order: Int32Array = Int32Array.from(names.keys())
  for (let from = 0; from < order.length; from += SORTED_AT_ONCE) {
    order.subarray(from, from + SORTED_AT_ONCE).sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
    yield
  }
  for (let size = SORTED_AT_ONCE; size < order.length; size *= 2) {
    const merged = new Int32Array(order.length)
    for (let from = 0; from < order.length; from += 2 * size) {
      const middle = Math.min(from + size, order.length)
      const end = Math.min(from + 2 * size, order.length)
      let [left, right] = [from, middle]
      for (let at = from; at < end; at += 1) {
        if (at % SORTED_AT_ONCE === 0) yield
        const takesLeft = right === end || (left < middle && names[order[left]!]! < names[order[right]!]!)
        merged[at] = order[takesLeft ? left : right]!
        if (takesLeft) left += 1
        else right += 1
      }
    }
    order = merged
  }
  return order
}

/** Positions of the pairs, sorted by their lower and then by their higher number, below `numbers`: by the higher first, then stably by the lower. */
function* sortedPairs(ends: Int32Array, numbers: number): SlicedWork<Int32Array> {
  const lower = new Int32Array(ends.length / 2)
  const higher = new Int32Array(ends.length / 2)
  for (let pair = 0; pair < lower.length; pair += 1) {
    const [a, b] = [ends[2 * pair]!, ends[2 * pair + 1]!]
    lower[pair] = Math.min(a, b)
    higher[pair] = Math.max(a, b)
  }
  yield
  const byHigher = grouped(higher, numbers).rows
  yield
  const byLower = grouped(
    byHigher.map((pair) => lower[pair]!),
    numbers,
  ).rows
  return byLower.map((row) => byHigher[row]!)
}
