import type { ExtractedChunk } from '../storage/extraction-store.ts'
import { withoutParentheses } from './name-mentions.ts'
import type { NamesByDocument } from './name-mentions.ts'
import { isAcronymOf, normalName } from './normal-name.ts'

const IN_PARENTHESES = /\((?:the\s+)?(\p{Lu}[\p{L}\p{N}&.-]{1,11})\)/gu
const WORDS_BEFORE = /(?<![\p{L}\p{N}'’&.-])(?:[\p{L}\p{N}'’&.-]+\s+){0,9}[\p{L}\p{N}'’&.-]+\s*$/u
const CHARS_BEFORE = 160

/**
 * Short forms that each document explains in parentheses: acronyms whose letters are the initials, "Northern Cable Board (NCB)", and
 * codes, "Ridge Pump (RP-220)". Short to long name, both in normal form, by document. Only long names that were extracted count.
 */
export function definedAcronyms(
  chunks: readonly ExtractedChunk[],
  names: NamesByDocument,
): Map<string, Map<string, string>> {
  const documents = new Map<string, Map<string, string>>()
  for (const { documentId, content, extraction } of chunks) {
    const known = names.get(documentId) ?? new Map()
    const defined = documents.get(documentId) ?? new Map<string, string>()
    documents.set(documentId, defined)
    const define = (acronym: string, long: string) => {
      const short = normalName(acronym)
      const full = normalName(long)
      const explains = isAcronymOf(acronym, long) || isCode(acronym)
      if (short !== full && known.has(full) && explains && !defined.has(short)) defined.set(short, full)
    }
    for (const { name } of extraction.entities) {
      const { long, short } = withoutParentheses(name)
      if (short !== null) define(short, long)
    }
    for (const { 1: acronym, index } of content.matchAll(IN_PARENTHESES)) {
      const before = WORDS_BEFORE.exec(content.slice(Math.max(0, index - CHARS_BEFORE), index))?.[0] ?? ''
      const words = before.trim().split(/\s+/u)
      for (let from = 0; from < words.length; from += 1) define(acronym!, words.slice(from).join(' '))
    }
  }
  return documents
}

/** A single word of letters and digits, such as a catalogue number. */
const isCode = (text: string): boolean => /^[\p{L}\p{N}.-]+$/u.test(text) && /\p{L}/u.test(text) && /\p{N}/u.test(text)

/** Short forms that the whole corpus explains in one way only, for documents that use them unexplained. */
export function corpusAcronyms(documents: ReadonlyMap<string, ReadonlyMap<string, string>>): Map<string, string> {
  const meanings = new Map<string, Set<string>>()
  for (const defined of documents.values()) {
    for (const [short, full] of defined) meanings.set(short, (meanings.get(short) ?? new Set()).add(full))
  }
  return new Map([...meanings].filter(([, full]) => full.size === 1).map(([short, full]) => [short, [...full][0]!]))
}
