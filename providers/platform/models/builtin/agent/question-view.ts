import { cleanedMentions } from '../extraction/mentions.ts'
import { rarity } from '../language/rarity.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import { analyseQuestion } from '../matching/question.ts'
import type { Term } from '../matching/terms.ts'
import type { Line } from './lines.ts'
import { nameKey } from './names.ts'

/** A term of the question as it is spelled there, with its place among the question's words. */
export interface PlacedTerm extends Term {
  text: string
  place: number
}

/** A name in the question, from its first word to its last one. */
export interface QuestionName {
  key: readonly string[]
  from: number
  to: number
}

/** A question as the agent walks it: from its names outwards. Weights of terms are those among the lines at hand. */
export interface QuestionView {
  terms: readonly PlacedTerm[]
  names: readonly QuestionName[]
}

/** A noun that is asked for ("which country") is seldom repeated beside its instance. */
const FOCUS_WEIGHT = 0.6
/** The part of a term's weight that does not depend on how many lines hold it. */
const CONSTANT_WEIGHT = 0.7

/** Reads a question for a search through these lines: a term in every one of them distinguishes none. */
export function viewQuestion(text: string, lines: readonly Line[]): QuestionView {
  const question = analyseQuestion(text)
  const tokens = tokensOf(text)
  const all = Math.log(2 + lines.length)
  const terms = new Map<string, PlacedTerm>()
  tokens.forEach((token, place) => {
    const root = rootOf(token)
    if (rarity(token) === 0 || terms.has(root)) return
    const holding = lines.filter(({ own }) => own.roots.has(root)).length
    const spread = Math.log(1 + lines.length / (1 + holding)) / all
    const focus = question.focus.has(root) ? FOCUS_WEIGHT : 1
    const weight = rarity(token) * focus * (CONSTANT_WEIGHT + (1 - CONSTANT_WEIGHT) * spread)
    terms.set(root, { norm: token.norm, root, kind: token.kind, weight, place, text: token.text })
  })
  const names = cleanedMentions(text).map(({ name, start, end }) => ({
    key: nameKey(name),
    from: tokens.findIndex((token) => token.end > start),
    to: tokens.findLastIndex((token) => token.start < end),
  }))
  return { terms: [...terms.values()], names }
}

/**
 * Terms in the order in which a chain of facts covers them: by their distance from the name it starts at, which itself is left out. A
 * question nests its facts around a name, and one without a name ends with what comes first in the chain.
 */
export function termsFrom({ terms }: QuestionView, start: QuestionName | null): PlacedTerm[] {
  if (start === null) return terms.toSorted((a, b) => b.place - a.place)
  const { from, to } = start
  const distance = ({ place }: PlacedTerm): number => (place < from ? from - place : place - to)
  return terms.filter(({ place }) => place < from || place > to).toSorted((a, b) => distance(a) - distance(b))
}
