import { namesOf } from '../language/names.ts'
import { numbersOf } from '../language/number-words.ts'
import { rootOf } from '../language/roots.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'
import { coverage, indexOf, termsOf } from '../matching/terms.ts'

/** A few neighbouring sentences of a context. `context` counts from 0. */
export type Place = { text: string; context: number; coverage: number; closest: string }

const WINDOW_SENTENCES = 3

const NEGATION =
  /\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|unable|den(?:y|ies|ied)|refus(?:e|es|ed)|fail(?:s|ed)? to)\b|n['’]t\b/i

export const isNegated = (text: string): boolean => NEGATION.test(text)

const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Index of the context that holds a statement word for word, or -1. */
export function verbatimIn(statement: string, contexts: readonly string[]): number {
  const wanted = comparable(statement)
  if (wanted === '') return -1
  return contexts.findIndex((context) =>
    ` ${comparable(
      sentencesOf(context)
        .map((each) => each.text)
        .join(' '),
    )} `.includes(` ${wanted} `),
  )
}

/** The place in the contexts that covers most of a statement's weight; null without contexts. */
export function bestPlace(statement: string, contexts: readonly string[]): Place | null {
  const terms = termsOf(statement)
  let best: Place | null = null
  contexts.forEach((source, context) => {
    const sentences = sentencesOf(source)
    sentences.forEach((_, from) => {
      const window = sentences.slice(from, from + WINDOW_SENTENCES).map((sentence) => sentence.text)
      const text = window.join(' ')
      const reached = coverage(terms, indexOf(text))
      if (best !== null && reached <= best.coverage) return
      const closest = window.toSorted((a, b) => coverage(terms, indexOf(b)) - coverage(terms, indexOf(a)))[0]!
      best = { text, context, coverage: reached, closest }
    })
  })
  return best
}

/** The numbers of a statement that a text does not hold, in digits or words. */
export function missingNumbers(statement: string, text: string): number[] {
  const present = new Set(numbersOf(tokensOf(text)).map((mention) => mention.value))
  const tokens = tokensOf(statement)
  return numbersOf(tokens)
    .filter((mention) => {
      // "one" and "once" are seldom counts.
      const word = tokens[mention.from]!.norm
      return word !== 'one' && word !== 'once' && !present.has(mention.value)
    })
    .map((mention) => mention.value)
}

/** The codes of a statement, and the names of which it has a part, that a text does not hold. */
export function missingNames(statement: string, text: string): string[] {
  const index = indexOf(text)
  const names = namesOf(statement).filter(
    (name) => !tokensOf(name.text).some((token) => index.roots.has(rootOf(token))),
  )
  return names.map((name) => name.text)
}
