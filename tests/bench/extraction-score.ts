import { normalName } from '../../providers/platform/stores/graph-engine/resolution/names.ts'
import type { MergedGraph } from '../../providers/platform/stores/graph-engine/graph/merged-graph.ts'

/** The typed graph of a corpus: what a perfect extractor would find. */
export interface TypedGraph {
  entities: readonly { id: string; name: string; type: string; aliases: readonly string[] }[]
  relations: readonly { subject: string; type: string; object: string; documents: readonly string[] }[]
}

export interface Score {
  precision: number
  recall: number
  f1: number
  /** Right ones, ones that should not be there, ones that were not found. */
  found: number
  wrong: number
  missed: number
}

export interface ExtractionScores {
  entities: Score
  /** By unordered pair of entities. */
  relations: Score
  /** Also in the direction of the typed graph. */
  directedRelations: Score
  wrongEntities: string[]
  missedEntities: string[]
  wrongRelations: string[]
  missedRelations: string[]
}

/**
 * Compares an extracted graph with the typed one. An entity is right when its name or an alias is, in normal form, a name or alias of
 * a typed one that no other entity has taken; a relation when both its ends are right and the typed graph joins them.
 */
export function scoreExtraction(extracted: MergedGraph, typed: TypedGraph): ExtractionScores {
  const byName = new Map<string, string>()
  for (const { id, name, aliases } of typed.entities)
    for (const each of [name, ...aliases]) byName.set(normalName(each), id)
  const names = new Map(typed.entities.map(({ id, name }) => [id, name]))

  const meaning = new Map<string, string>()
  const taken = new Set<string>()
  const wrongEntities: string[] = []
  // Entities that are met under a full name come before those that only share an alias.
  const candidates = [...extracted.entities].sort((a, b) => b.chunkIds.length - a.chunkIds.length)
  for (const exact of [true, false]) {
    for (const { id, name, aliases } of candidates) {
      if (meaning.has(id)) continue
      const known = [name, id, ...(exact ? [] : aliases)]
        .map((each) => byName.get(normalName(each)))
        .find((each) => each !== undefined)
      if (known !== undefined && !taken.has(known)) {
        taken.add(known)
        meaning.set(id, known)
      }
    }
  }
  for (const { id, name } of extracted.entities) if (!meaning.has(id)) wrongEntities.push(name)
  const missedEntities = typed.entities.filter(({ id }) => !taken.has(id)).map(({ name }) => name)

  const pair = (a: string, b: string) => [a, b].sort().join(' – ')
  const shown = (a: string | undefined, b: string | undefined, rawA: string, rawB: string) =>
    `${a === undefined ? `?${rawA}` : names.get(a)!} – ${b === undefined ? `?${rawB}` : names.get(b)!}`
  const gold = new Set(typed.relations.map(({ subject, object }) => pair(subject, object)))
  const goldDirected = new Set(typed.relations.map(({ subject, object }) => `${subject} > ${object}`))
  const hit = new Set<string>()
  const hitDirected = new Set<string>()
  const wrongRelations: string[] = []
  for (const { source, target, statements } of extracted.relations) {
    const [from, to] = [meaning.get(source), meaning.get(target)]
    if (from !== undefined && to !== undefined && gold.has(pair(from, to))) {
      hit.add(pair(from, to))
      if (goldDirected.has(`${from} > ${to}`)) hitDirected.add(`${from} > ${to}`)
    } else wrongRelations.push(`${shown(from, to, source, target)}  [${statements[0]?.text ?? ''}]`)
  }
  const total = extracted.relations.length
  return {
    entities: score(taken.size, extracted.entities.length, typed.entities.length),
    relations: score(hit.size, total, gold.size),
    directedRelations: score(hitDirected.size, total, goldDirected.size),
    wrongEntities,
    missedEntities,
    wrongRelations,
    missedRelations: typed.relations
      .filter(({ subject, object }) => !hit.has(pair(subject, object)))
      .map(
        ({ subject, type, object, documents }) =>
          `${names.get(subject)!} ${type} ${names.get(object)!} (${documents.join(', ')})`,
      ),
  }
}

function score(found: number, extracted: number, typed: number): Score {
  const precision = extracted === 0 ? 0 : found / extracted
  const recall = typed === 0 ? 0 : found / typed
  const f1 = found === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return { precision, recall, f1, found, wrong: extracted - found, missed: typed - found }
}
