import type { ExtractedChunk } from '../storage/extraction-store.ts'
import { normalName } from './normal-name.ts'

/** Everything one document calls by one normal name. */
export interface DocumentName {
  documentId: string
  /** Normal form; the key under which mentions are merged. */
  normal: string
  /** Spellings with how often each was extracted. */
  spellings: Map<string, number>
  /** Types that a model gave, with counts; empty for a name that only stands in relations. */
  types: Map<string, number>
}

/** The names of each document by document id, in document order. */
export type NamesByDocument = Map<string, Map<string, DocumentName>>

/** Collects the names of all extractions, also those that only relations mention. */
export function collectNames(chunks: readonly ExtractedChunk[]): NamesByDocument {
  const documents: NamesByDocument = new Map()
  for (const { documentId, extraction } of chunks) {
    const names = documents.get(documentId) ?? new Map<string, DocumentName>()
    documents.set(documentId, names)
    for (const { name, type } of extraction.entities) addName(names, documentId, name, type)
    for (const { source, target } of extraction.relations) {
      addName(names, documentId, source, null)
      addName(names, documentId, target, null)
    }
  }
  return documents
}

function addName(names: Map<string, DocumentName>, documentId: string, spelling: string, type: string | null): void {
  const normal = normalName(withoutParentheses(spelling).long)
  if (normal === '') return
  const known = names.get(normal) ?? {
    documentId,
    normal,
    spellings: new Map<string, number>(),
    types: new Map<string, number>(),
  }
  names.set(normal, known)
  increment(known.spellings, withoutParentheses(spelling).long.trim())
  if (type !== null && type !== '') increment(known.types, type)
}

/** "Northern Cable Board (NCB)" as its two parts; `short` is null without parentheses at the end. */
export function withoutParentheses(name: string): { long: string; short: string | null } {
  const parts = /^(.*\S)\s*\(([^()]+)\)\s*$/su.exec(name)
  return parts === null ? { long: name, short: null } : { long: parts[1]!, short: parts[2]!.trim() }
}

export function increment<Key>(counts: Map<Key, number>, key: Key, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** The key with the highest count; equal ones by length, longest first, then by code unit. Null when there are none. */
export function mostFrequent(counts: ReadonlyMap<string, number>): string | null {
  let best: string | null = null
  for (const key of [...counts.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
    if (best === null || counts.get(key)! > counts.get(best)!) best = key
  }
  return best
}
