import { increment, mostFrequent, withoutParentheses } from '../resolution/names.ts'

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
  /** Number of different chunks that state it, as in LightRAG since 2025-08. */
  weight: number
  statements: Statement[]
  chunkIds: string[]
  filePaths: string[]
}

/** Type of an entity that only relations mention. */
const UNKNOWN_TYPE = 'unknown'

/** Describes how one chunk mentions a part. */
interface Mention {
  chunkId: string
  filePath: string
  description: string | null
}

export interface EntityMention extends Mention {
  spelling: string
  /** States how often the chunk has it so. */
  count: number
  type: string | null
}

export interface RelationMention extends Mention {
  keywords: readonly string[]
}

/** An entity from all its mentions, in the order of chunks. */
export function mergedEntity(id: string, mentions: readonly EntityMention[], descriptionsKept: number): MergedEntity {
  const spellings = new Map<string, number>()
  const types = new Map<string, number>()
  for (const { spelling, count, type } of mentions) {
    const { long, short } = withoutParentheses(spelling)
    increment(spellings, long, count)
    // An acronym is a name too, but never the one to show.
    if (short !== null) increment(spellings, short, 0)
    if (type !== null) increment(types, type)
  }
  const name = shownName(id, spellings)
  return {
    id,
    name,
    type: mostFrequent(types) ?? UNKNOWN_TYPE,
    aliases: [...spellings.keys()].filter((spelling) => spelling !== name).sort(),
    ...sourcesOf(mentions, descriptionsKept),
  }
}

/** A relation from all its mentions, in the order of chunks. */
export function mergedRelation(
  [source, target]: readonly [string, string],
  mentions: readonly RelationMention[],
  descriptionsKept: number,
): MergedRelation {
  const keywords = new Map<string, number>()
  for (const mention of mentions) for (const keyword of mention.keywords) increment(keywords, keyword)
  const sources = sourcesOf(mentions, descriptionsKept)
  return {
    source,
    target,
    keywords: [...keywords].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([keyword]) => keyword),
    weight: sources.chunkIds.length,
    ...sources,
  }
}

/** The first different descriptions, and where the part is mentioned. */
function sourcesOf(
  mentions: readonly Mention[],
  descriptionsKept: number,
): Pick<MergedEntity, 'statements' | 'chunkIds' | 'filePaths'> {
  const statements = new Map<string, string>()
  for (const { description, chunkId } of mentions)
    if (description !== null && statements.size < descriptionsKept && !statements.has(description))
      statements.set(description, chunkId)
  return {
    statements: [...statements].map(([text, chunkId]) => ({ text, chunkId })),
    chunkIds: [...new Set(mentions.map(({ chunkId }) => chunkId))],
    filePaths: [...new Set(mentions.map(({ filePath }) => filePath))],
  }
}

/** The most frequent of the spellings that have the whole name, without a leading article. */
function shownName(id: string, spellings: ReadonlyMap<string, number>): string {
  const words = id.split(' ').length
  const whole = new Map([...spellings].filter(([spelling]) => spelling.split(/[\s-]+/u).length >= words))
  return (mostFrequent(whole) ?? mostFrequent(spellings) ?? id).replace(/^(?:the|an?)\s+(?=\p{Lu})/iu, '')
}
