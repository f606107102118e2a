import { isStopWord } from '../../../models/builtin/language/stop-words.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { nameWords, normalName } from '../resolution/names.ts'

/** The graph's names in a question. */
export interface QuestionNames {
  /**
   * Entities that each name may mean. `share`: how much of the entity's name the question has, 1 for all of it. `place`: first and last word of
   * the name in the question; null for keywords, which have no position.
   */
  found: { entities: readonly number[]; share: number; place: NamePlace | null }[]
  /** The question's words without the names that were found, each with its position: what it asks about them. */
  rest: { word: string; place: number }[]
}

/** Positions of words, counted by white space. */
export interface NamePlace {
  from: number
  to: number
}

type NameTables = Pick<KnowledgeGraph, 'named' | 'namesWithWord'>

const LONGEST_NAME_WORDS = 10

/**
 * Finds entity names in a question and its low keywords: whole names first, the longest first and no word twice, then capitalized
 * words and keywords that are part of one. Words in lower case never count as a part: "navigation" is not a name.
 */
export function findNames(graph: NameTables, question: string, lowKeywords: readonly string[]): QuestionNames {
  const tokens = question.split(/\s+/u)
  const used = new Set<number>()
  const found: QuestionNames['found'] = []
  for (let length = Math.min(LONGEST_NAME_WORDS, tokens.length); length > 0; length -= 1) {
    for (let from = 0; from + length <= tokens.length; from += 1) {
      const span = Array.from({ length }, (_, offset) => from + offset)
      const words = tokens.slice(from, from + length)
      if (span.some((at) => used.has(at)) || !looksLikeName(words)) continue
      const entities = graph.named.get(normalName(words.join(' ')))
      if (entities === undefined) continue
      for (const at of span) used.add(at)
      found.push({ entities, share: 1, place: { from, to: from + length - 1 } })
    }
  }
  const rest = tokens.map((word, place) => ({ word, place })).filter(({ place }) => !used.has(place))
  const loose = rest
    .filter(({ word, place }) => place > 0 && looksLikeName([word]))
    .map(({ word, place }) => ({ name: normalName(word), place: { from: place, to: place } }))
  const keywords = lowKeywords
    .filter((keyword) => looksLikeName(keyword.split(/\s+/u)))
    .map((keyword) => ({ name: normalName(keyword), place: null }))
  for (const { name, place } of [...loose, ...keywords]) {
    const whole = graph.named.get(name)
    if (whole !== undefined) found.push({ entities: whole, share: 1, place })
    else found.push(...partsOfNames(graph, nameWords(name)).map((part) => ({ ...part, place })))
  }
  return { found, rest }
}

/** A phrase may be a name when a word that carries meaning has a capital or a digit; function words alone never are one. */
const looksLikeName = (words: readonly string[]): boolean =>
  words.some((word) => /[\p{Lu}\p{N}]/u.test(word) && !isStopWord(normalName(word)))

/** Entities whose name has all words of a keyword and more. */
function partsOfNames(graph: NameTables, keyword: readonly string[]): { entities: readonly number[]; share: number }[] {
  if (keyword.length === 0) return []
  const candidates = keyword.map((word) => graph.namesWithWord.get(word) ?? []).sort((a, b) => a.length - b.length)[0]!
  return candidates.flatMap((name) => {
    const words = name.split(' ')
    if (keyword.length >= words.length || !keyword.every((word) => words.includes(word))) return []
    return [{ entities: graph.named.get(name)!, share: keyword.length / words.length }]
  })
}
