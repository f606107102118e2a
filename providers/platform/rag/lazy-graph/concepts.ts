import type { Sentence, Token } from './sentences.ts'

/** Kinds go from surest to weakest as a link between passages. Files have a kind by its number here. */
export const KINDS = ['code', 'name', 'name_part', 'phrase', 'word'] as const
export type ConceptKind = (typeof KINDS)[number]

/** A mention found in a text: normalized key, kind, and the sentence it appears in. */
export interface Mention {
  key: string
  kind: ConceptKind
  sentence: number
}

/** Describes how often words appear with and without a capital where a capital means something; filled over the whole corpus. */
export interface Capitals {
  upper: Map<string, number>
  lower: Map<string, number>
}

/** The same counts to read. */
export type CapitalCounts = Record<keyof Capitals, { get(word: string): number | undefined }>

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const startsUpper = (text: string): boolean => /^\p{Lu}/u.test(text)

/** Counts one text's words into the corpus statistics. A title's capitals count: a name may appear nowhere else inside a sentence. */
export function countCapitals(sentences: readonly Sentence[], capitals: Capitals, isTitle = false): void {
  for (const token of sentences.flat()) {
    if (!startsUpper(token.text)) add(capitals.lower, token.lower)
    else if (isTitle || !token.weakCapital) add(capitals.upper, token.lower)
  }
}

/** True for words that the corpus writes with a capital by habit, not because a sentence starts there. */
function isNameWord(token: Token, { upper, lower }: CapitalCounts): boolean {
  if (token.stop || !startsUpper(token.text)) return false
  const plain = lower.get(token.lower) ?? 0
  const capital = upper.get(token.lower) ?? 0
  return capital > plain || (plain === 0 && !token.weakCapital)
}

const DATE = /^\d{4}-\d{2}(?:-\d{2})?$|^\d{1,2}[./:]\d{1,2}(?:[./:]\d{2,4})?$|^\d{4}[-/]\d{2,4}$/

/** Error codes, part numbers, technique ids, words in capitals, snake_case: what people look up letter by letter. */
export function isCode(text: string): boolean {
  if (/^\p{Lu}{3,}$/u.test(text)) return true
  if (/[_]/.test(text)) return /\p{L}/u.test(text)
  if (/\d/.test(text) && /\p{Lu}/u.test(text)) return !/^\d+(?:st|nd|rd|th|s)$/i.test(text)
  return /^\d+(?:[-/.]\d+)+$/.test(text) && text.replace(/\D/g, '').length >= 5 && !DATE.test(text)
}

const CONNECTORS = new Set(['of', 'de', 'del', 'della', 'di', 'da', 'van', 'von', 'der', 'den', 'la', 'le', 'du'])
/** May follow a connector: "Order of the Garter", "van der Meer". */
const ARTICLES = new Set(['the', 'der', 'den', 'la', 'le'])

const keyOf = (tokens: readonly Token[]): string => tokens.map((token) => token.lower.replace(/['’]s?$/, '')).join(' ')

/** End of the run of capitalized words that starts at `start`; connectors count only between two of them. */
function runEnd(sentence: Sentence, start: number): number {
  let end = start + 1
  let at = start + 1
  while (at < sentence.length && sentence[at]!.glued && at - start < 8) {
    const token = sentence[at]!
    if (startsUpper(token.text) && !token.stop) end = at + 1
    else if (!CONNECTORS.has(token.lower) && !(at > end && ARTICLES.has(token.lower))) break
    at += 1
  }
  return end
}

function nameMentions(sentence: Sentence, index: number, capitals: CapitalCounts): Mention[] {
  const mentions: Mention[] = []
  for (let at = 0; at < sentence.length;) {
    const first = sentence[at]!
    if (!startsUpper(first.text) || first.stop || (first.weakCapital && !isNameWord(first, capitals))) {
      at += 1
      continue
    }
    const end = runEnd(sentence, at)
    const run = sentence.slice(at, end)
    at = end
    const own = run.filter((token) => isNameWord(token, capitals) && token.lower.length > 2)
    if (run.length > 1) {
      mentions.push({ key: keyOf(run), kind: 'name', sentence: index })
      for (const token of own) mentions.push({ key: keyOf([token]), kind: 'name_part', sentence: index })
    } else if (own.length === 1) mentions.push({ key: keyOf(own), kind: 'name', sentence: index })
  }
  return mentions
}

const isPlainWord = (token: Token): boolean =>
  !token.stop &&
  token.stem.length >= 3 &&
  /^\p{L}+$/u.test(token.text) &&
  (token.weakCapital || !startsUpper(token.text))

function phraseMentions(sentence: Sentence, index: number): Mention[] {
  return sentence.flatMap((token, at) => {
    if (!isPlainWord(token)) return []
    const word: Mention[] = token.stem.length >= 4 ? [{ key: token.stem, kind: 'word', sentence: index }] : []
    const next = sentence[at + 1]
    if (next?.glued !== true || !isPlainWord(next)) return word
    return [...word, { key: `${token.stem} ${next.stem}`, kind: 'phrase', sentence: index }]
  })
}

/** Everything in a text that may link it to another: codes, names and their parts, two-word phrases, single words. */
export function mentionsOf(sentences: readonly Sentence[], capitals: CapitalCounts): Mention[] {
  return sentences.flatMap((sentence, index) => [
    ...sentence
      .filter((token) => isCode(token.text))
      .map((token): Mention => ({ key: keyOf([token]), kind: 'code', sentence: index })),
    ...nameMentions(sentence, index, capitals),
    ...phraseMentions(sentence, index),
  ])
}
