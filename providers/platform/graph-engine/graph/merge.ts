import type { ExtractedChunk } from '../document-store.ts'
import { increment, mostFrequent, withoutParentheses } from '../resolution/names.ts'
import { resolvingNames } from '../resolution/resolve-names.ts'
import { runThrough } from '../../sliced-work.ts'
import type { SlicedWork } from '../../sliced-work.ts'

/** A statement about an entity or a relation, with the chunk that makes it. */
export interface Statement {
  text: string
  chunkId: string
}

export interface MergedEntity {
  /** Normal name: unique in the graph and the same for the same documents, whatever their order. */
  id: string
  name: string
  type: string
  /** Other spellings in the documents. */
  aliases: string[]
  statements: Statement[]
  chunkIds: string[]
  filePaths: string[]
}

export interface MergedRelation {
  /** Ids of both ends in the order that texts use most. */
  source: string
  target: string
  keywords: string[]
  /** Sum over all mentions. */
  weight: number
  statements: Statement[]
  chunkIds: string[]
  filePaths: string[]
}

export interface MergedGraph {
  entities: MergedEntity[]
  relations: MergedRelation[]
}

/** Type of an entity that only relations mention. */
export const UNKNOWN_TYPE = 'unknown'

interface Draft {
  spellings: Map<string, number>
  types: Map<string, number>
  statements: Statement[]
  chunkIds: Set<string>
  filePaths: Set<string>
}

interface RelationDraft {
  directions: Map<string, number>
  keywords: Map<string, number>
  weight: number
  statements: Statement[]
  chunkIds: Set<string>
  filePaths: Set<string>
}

/**
 * Merges the extractions of all chunks into one graph, entities and relations sorted by id. A pure function of its input: weights, chunk
 * ids and file paths are counted from scratch, so a removed document leaves no trace.
 */
export const mergeExtractions = (chunks: readonly ExtractedChunk[], descriptionsKept: number): MergedGraph =>
  runThrough(mergingExtractions(chunks, descriptionsKept))

/** The merge in slices. */
export function* mergingExtractions(
  chunks: readonly ExtractedChunk[],
  descriptionsKept: number,
): SlicedWork<MergedGraph> {
  const resolve = yield* resolvingNames(chunks)
  const entities = new Map<string, Draft>()
  const relations = new Map<string, RelationDraft>()
  for (const chunk of chunks) {
    yield
    for (const { name, type, description } of chunk.extraction.entities) {
      const draft = mention(entities, resolve(chunk.documentId, name), name, chunk)
      if (draft === null) continue
      if (type !== '') increment(draft.types, type)
      addStatement(draft.statements, description, chunk.id, descriptionsKept)
    }
    for (const { source, target, keywords, description, weight } of chunk.extraction.relations) {
      const from = resolve(chunk.documentId, source)
      const to = resolve(chunk.documentId, target)
      if (from === '' || to === '' || from === to) continue
      mention(entities, from, source, chunk)
      mention(entities, to, target, chunk)
      const draft = relationDraft(relations, from, to)
      increment(draft.directions, from)
      for (const keyword of keywords) increment(draft.keywords, keyword.toLowerCase())
      draft.weight += weight
      addStatement(draft.statements, description, chunk.id, descriptionsKept)
      draft.chunkIds.add(chunk.id)
      draft.filePaths.add(chunk.filePath)
    }
  }
  return {
    entities: yield* finishing(entities, finishEntity),
    relations: yield* finishing(relations, finishRelation),
  }
}

/** The finished parts, sorted by key; each draft is dropped as soon as it is finished. */
function* finishing<Kind, Finished>(
  drafts: Map<string, Kind>,
  finish: (key: string, draft: Kind) => Finished,
): SlicedWork<Finished[]> {
  const finished: Finished[] = []
  const keys = [...drafts.keys()].sort()
  yield
  for (const key of keys) {
    finished.push(finish(key, drafts.get(key)!))
    drafts.delete(key)
    yield
  }
  return finished
}

function mention(entities: Map<string, Draft>, id: string, spelling: string, chunk: ExtractedChunk): Draft | null {
  if (id === '') return null
  const draft = entities.get(id) ?? {
    spellings: new Map<string, number>(),
    types: new Map<string, number>(),
    statements: [],
    chunkIds: new Set<string>(),
    filePaths: new Set<string>(),
  }
  entities.set(id, draft)
  const { long, short } = withoutParentheses(spelling.trim())
  increment(draft.spellings, long)
  // An acronym is a name too, but never the one to show.
  if (short !== null) increment(draft.spellings, short, 0)
  draft.chunkIds.add(chunk.id)
  draft.filePaths.add(chunk.filePath)
  return draft
}

const SEPARATOR = '\u0000'

function relationDraft(relations: Map<string, RelationDraft>, a: string, b: string): RelationDraft {
  const key = a < b ? `${a}${SEPARATOR}${b}` : `${b}${SEPARATOR}${a}`
  const draft = relations.get(key) ?? {
    directions: new Map<string, number>(),
    keywords: new Map<string, number>(),
    weight: 0,
    statements: [],
    chunkIds: new Set<string>(),
    filePaths: new Set<string>(),
  }
  relations.set(key, draft)
  return draft
}

function addStatement(statements: Statement[], text: string, chunkId: string, limit: number): void {
  const trimmed = text.trim()
  if (trimmed !== '' && statements.length < limit && !statements.some((known) => known.text === trimmed))
    statements.push({ text: trimmed, chunkId })
}

function finishEntity(id: string, draft: Draft): MergedEntity {
  const name = shownName(id, draft.spellings)
  return {
    id,
    name,
    type: mostFrequent(draft.types) ?? UNKNOWN_TYPE,
    aliases: [...draft.spellings.keys()].filter((spelling) => spelling !== name).sort(),
    statements: draft.statements,
    chunkIds: [...draft.chunkIds],
    filePaths: [...draft.filePaths],
  }
}

/** The most frequent of the spellings that have the whole name, without a leading article. */
function shownName(id: string, spellings: ReadonlyMap<string, number>): string {
  const words = id.split(' ').length
  const whole = new Map([...spellings].filter(([spelling]) => spelling.split(/[\s-]+/u).length >= words))
  return (mostFrequent(whole) ?? mostFrequent(spellings) ?? id).replace(/^(?:the|an?)\s+(?=\p{Lu})/iu, '')
}

function finishRelation(key: string, draft: RelationDraft): MergedRelation {
  const ends = key.split(SEPARATOR) as [string, string]
  // Stable sorting keeps the direction that came first before an equally frequent one.
  const source = [...draft.directions].sort(([, m], [, n]) => n - m)[0]![0]
  return {
    source,
    target: source === ends[0] ? ends[1] : ends[0],
    keywords: [...draft.keywords].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([keyword]) => keyword),
    weight: draft.weight,
    statements: draft.statements,
    chunkIds: [...draft.chunkIds],
    filePaths: [...draft.filePaths],
  }
}
