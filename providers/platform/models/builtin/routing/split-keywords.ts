import type { Keywords, KeywordsTask } from '../../prompts/keywords-task.ts'
import { namesOf } from '../language/names.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import { isStopWord } from '../language/stop-words.ts'
import { rarity } from '../language/rarity.ts'
import { normalizeWord, tokensOf } from '../language/tokens.ts'

const QUOTED = /["“«]([^"”»]{2,80})["”»]/gu
/** Nouns that ask rather than name a theme. */
const EMPTY_NOUNS = /^(?:kind|sort|type|name|thing|way|part|number|year|month|day|people|person|one|case)s?$/

/** Runs of adjectives and nouns outside names, such as "solar panel". */
function nounPhrases(question: string, taken: readonly { start: number; end: number }[]): string[] {
  const phrases: string[] = []
  let run: string[] = []
  const flush = (): void => {
    if (run.length > 0) phrases.push(run.join(' '))
    run = []
  }
  for (const token of taggedTokens(question)) {
    const inName = taken.some((span) => token.start < span.end && token.end > span.start)
    const norm = normalizeWord(token.text)
    const fits = ['NOUN', 'ADJ', 'PROPN'].includes(token.pos) && !isStopWord(norm) && /\p{L}{2}/u.test(token.text)
    if (inName || !fits || (run.length === 0 && EMPTY_NOUNS.test(norm))) flush()
    else run.push(token.text.toLowerCase())
  }
  flush()
  return phrases
}

/** Verbs that state what happened: each means a kind of relation. */
function contentVerbs(question: string): string[] {
  return taggedTokens(question)
    .filter((token) => token.pos === 'VERB')
    .map((token) => normalizeWord(token.text))
    .filter((verb) => !isStopWord(verb))
}

/**
 * Splits a question into keywords: names, quotations, codes, numbers and rare noun phrases are low-level, everyday noun
 * phrases and verbs high-level.
 */
export function splitKeywords({ question }: KeywordsTask): Keywords {
  const quotes = [...question.matchAll(QUOTED)].map((match) => ({
    text: match[1]!,
    start: match.index,
    end: match.index + match[0].length,
  }))
  const isFree = (span: { start: number; end: number }): boolean =>
    !quotes.some((quote) => span.start < quote.end && span.end > quote.start)
  const names = namesOf(question).filter(isFree)
  const numbers = tokensOf(question).filter(
    (token) =>
      token.kind !== 'word' &&
      isFree(token) &&
      !names.some((name) => token.start >= name.start && token.end <= name.end),
  )
  const phrases = nounPhrases(question, [...quotes, ...names, ...numbers])
  const isRare = (phrase: string): boolean => tokensOf(phrase).some((token) => rarity(token) >= 0.85)
  const low = [...quotes, ...names, ...numbers].toSorted((a, b) => a.start - b.start).map((span) => span.text)
  return {
    high_level: [...new Set([...phrases.filter((phrase) => !isRare(phrase)), ...contentVerbs(question)])],
    low_level: [...new Set([...low, ...phrases.filter(isRare)])],
  }
}
