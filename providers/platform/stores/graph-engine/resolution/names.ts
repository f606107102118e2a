import type { SlicedWork } from '../../../../../core/sliced-work.ts'
import type { ExtractedChunk } from '../stored-graph.ts'

const SMALL_WORDS = new Set([
  'of',
  'the',
  'and',
  'for',
  'in',
  'on',
  'at',
  'to',
  'de',
  'la',
  'le',
  'du',
  'da',
  'di',
  'von',
  'van',
  'der',
  'a',
  'an',
])

/** Abbreviations that are only another spelling of the same name. */
const SPELLED_OUT: Partial<Record<string, string>> = {
  '&': 'and',
  co: 'company',
  corp: 'corporation',
  inc: 'incorporated',
  ltd: 'limited',
  bros: 'brothers',
}

/** A name as it is compared: no case, accents, punctuation, possessive or leading article. Empty for a name without letters or digits. */
export function normalName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replace(/['’.]/gu, '')
    .replace(/[^\p{L}\p{N}&+#]+/gu, ' ')
    .trim()
    .split(' ')
  while (words.length > 1 && /^(?:the|a|an)$/.test(words[0]!)) words.shift()
  return words.map((word) => SPELLED_OUT[word] ?? word).join(' ')
}

/** The words of a name in normal form. */
export function nameWords(name: string): string[] {
  const normal = normalName(name)
  return normal === '' ? [] : normal.split(' ')
}

/** True when the letters of an acronym are the initials of a name's words, function words included or left out. */
export function isAcronymOf(acronym: string, name: string): boolean {
  const letters = acronym
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  const words = name.split(/[\s-]+/u).flatMap((word) => nameWords(word).slice(0, 1))
  if (letters.length < 2 || words.length < 2) return false
  return initialsMatch(letters, words, 0, 0)
}

function initialsMatch(letters: string, words: readonly string[], letter: number, word: number): boolean {
  if (word === words.length) return letter === letters.length
  if (words[word]!.startsWith(letters[letter] ?? ' ') && initialsMatch(letters, words, letter + 1, word + 1))
    return true
  return SMALL_WORDS.has(words[word]!) && initialsMatch(letters, words, letter, word + 1)
}

/** All mentions of one normal name in a document. */
export interface DocumentName {
  documentId: string
  /** Normal form; the key under which mentions are merged. */
  normal: string
  /** Spellings with how often each was extracted. */
  spellings: Map<string, number>
  /** Types that a model gave, with counts; empty for a name that only relations mention. */
  types: Map<string, number>
}

/** The names in the extractions of one document by normal form, also those that only relations mention; in slices. */
export function* findingNames(chunks: readonly ExtractedChunk[]): SlicedWork<Map<string, DocumentName>> {
  const names = new Map<string, DocumentName>()
  for (const { documentId, extraction } of chunks) {
    yield
    for (const { name, type } of extraction.entities) addName(names, documentId, name, type)
    for (const { source, target } of extraction.relations) {
      addName(names, documentId, source, null)
      addName(names, documentId, target, null)
    }
  }
  return names
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

/** "World Chess Union (WCU)" as its two parts; `short` is null without parentheses at the end. */
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
