import type { ExtractedChunk } from '../stored-graph.ts'
import type { NameResolver } from '../resolution/resolve-names.ts'
import { createNumbers } from '../../columns/numbers.ts'
import type { Numbers } from '../../columns/numbers.ts'
import { createTextTable } from '../../columns/text-table.ts'
import type { TextTable } from '../../columns/text-table.ts'

/** Stands for "no text" among the numbers of texts. */
export const NO_TEXT = -1

/** Between the keywords of one mention, which are one text. */
export const KEYWORD_SEPARATOR = '\u0000'

/** Columns of the mentions of entities; each number is a text, except `entity` (in the order of first mentions), `count` and `chunk` (positions). */
const ENTITY_COLUMNS = ['entity', 'spelling', 'count', 'type', 'description', 'chunk'] as const
/** `isReversed`: 1 where the text's source is the entity that was mentioned later. */
const RELATION_COLUMNS = ['relation', 'isReversed', 'keywords', 'description', 'chunk'] as const
const CHUNK_COLUMNS = ['id', 'documentId', 'filePath', 'title', 'content', 'index', 'tokens'] as const

type Columns<Name extends string> = Record<Name, Int32Array<ArrayBuffer>>

/** Describes what the chunks of a corpus mention, in numbers. */
export interface Mentions {
  texts: TextTable
  /** Ids of the entities as texts, in the order of their first mention. */
  ids: readonly number[]
  ofEntities: Columns<(typeof ENTITY_COLUMNS)[number]>
  /** The two entities of each relation, the one that was mentioned earlier first. */
  ends: Int32Array<ArrayBuffer>
  ofRelations: Columns<(typeof RELATION_COLUMNS)[number]>
  chunks: Columns<(typeof CHUNK_COLUMNS)[number]>
}

/** Collects what chunks mention, chunk by chunk. */
export interface MentionCollector {
  add(chunk: ExtractedChunk, resolve: NameResolver): void
  done(): Mentions
}

/** Entities stay far below this, so that the key of a pair is an exact number. */
const MOST_ENTITIES = 2 ** 26

/** A collector that has seen nothing. */
export function createMentionCollector(): MentionCollector {
  const texts = createTextTable()
  const entities = new Map<number, number>()
  const relations = new Map<number, number>()
  const ends = createNumbers()
  const ofEntities = createColumns(ENTITY_COLUMNS)
  const ofRelations = createColumns(RELATION_COLUMNS)
  const chunks = createColumns(CHUNK_COLUMNS)

  const numbered = (numbers: Map<number, number>, key: number): number => {
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, numbers.size)
    return numbers.size - 1
  }
  const entityOf = (id: string): number => numbered(entities, texts.add(id))
  const textOrNone = (text: string): number => (text === '' ? NO_TEXT : texts.add(text))

  function relationOf(a: number, b: number): number {
    const [first, second] = a < b ? [a, b] : [b, a]
    const before = relations.size
    const relation = numbered(relations, first * MOST_ENTITIES + second)
    if (relation === before) {
      ends.push(first)
      ends.push(second)
    }
    return relation
  }

  return {
    add({ id, documentId, filePath, title, content, index, tokens, extraction }, resolve) {
      const chunk = chunks.length
      chunks.push([...[id, documentId, filePath, title, content].map((text) => texts.add(text)), index, tokens])
      for (const { name, type, description } of extraction.entities) {
        const entity = resolve(name)
        if (entity === '') continue
        const described = textOrNone(description.trim())
        ofEntities.push([entityOf(entity), texts.add(name.trim()), 1, textOrNone(type), described, chunk])
      }
      // A relation mentions both its ends; equal spellings in a chunk are counted together.
      const inRelations = new Map<string, number[]>()
      const count = (entity: number, spelling: string): void => {
        const key = `${entity} ${spelling.trim()}`
        const known = inRelations.get(key)
        if (known === undefined) inRelations.set(key, [entity, texts.add(spelling.trim()), 1, NO_TEXT, NO_TEXT, chunk])
        else known[2]! += 1
      }
      for (const { source, target, keywords, description } of extraction.relations) {
        const [from, to] = [resolve(source), resolve(target)]
        if (from === '' || to === '' || from === to) continue
        const [a, b] = [entityOf(from), entityOf(to)]
        count(a, source)
        count(b, target)
        const words = textOrNone(keywords.map((keyword) => keyword.toLowerCase()).join(KEYWORD_SEPARATOR))
        ofRelations.push([relationOf(a, b), a > b ? 1 : 0, words, textOrNone(description.trim()), chunk])
      }
      for (const row of inRelations.values()) ofEntities.push(row)
    },
    done: () => ({
      texts,
      ids: [...entities.keys()],
      ofEntities: ofEntities.done(),
      ends: ends.done(),
      ofRelations: ofRelations.done(),
      chunks: chunks.done(),
    }),
  }
}

function createColumns<Name extends string>(names: readonly Name[]) {
  const columns = names.map((): Numbers => createNumbers())
  return {
    get length() {
      return columns[0]!.length
    },
    push(row: readonly number[]): void {
      for (let at = 0; at < columns.length; at += 1) columns[at]!.push(row[at]!)
    },
    done: () => Object.fromEntries(names.map((name, at) => [name, columns[at]!.done()])) as Columns<Name>,
  }
}
