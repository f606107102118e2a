import { sentencesOf } from '../language/sentences.ts'
import { rootOf } from '../language/roots.ts'
import { rarity } from '../language/rarity.ts'
import { tokensOf } from '../language/tokens.ts'
import { kindFit } from '../matching/answer-kind.ts'
import { analyseQuestion } from '../matching/question.ts'
import type { Question } from '../matching/question.ts'
import { coverage, indexOf, matchStrength } from '../matching/terms.ts'
import type { TermIndex } from '../matching/terms.ts'

/** Sentences that are read together: a fact and the sentence that names its subject. */
const WINDOW_SENTENCES = 3

/**
 * Weights of the evidence, set by hand so that a passage which meets half of what a question says comes out near 0
 * (a sigmoid of 0.5: undecided), one that meets all of it near 5, and one without a common word below −4. Names weigh
 * little beyond their rarity: in a question of several hops most of the evidence does not repeat them.
 */
const WEIGHT = {
  bias: -4.8,
  passage: 4.5,
  window: 4.5,
  names: 0.3,
  codes: 1.5,
  phrases: 1.5,
  repeats: 2,
  kind: 0.3,
} as const

/** The best coverage that a few neighbouring sentences reach together, with the text of that place. */
function bestWindow(question: Question, text: string): { coverage: number; text: string } {
  const sentences = sentencesOf(text).map((sentence) => sentence.text)
  const strengths = sentences.map((sentence) => {
    const index = indexOf(sentence)
    return question.terms.map((term) => matchStrength(term, index))
  })
  const weight = question.terms.reduce((sum, term) => sum + term.weight, 0)
  let best = { coverage: 0, text }
  sentences.forEach((_, from) => {
    const window = strengths.slice(from, from + WINDOW_SENTENCES)
    const met = question.terms.reduce(
      (sum, term, at) => sum + term.weight * Math.max(...window.map((row) => row[at]!)),
      0,
    )
    if (met > best.coverage * weight) {
      best = { coverage: met / weight, text: sentences.slice(from, from + WINDOW_SENTENCES).join(' ') }
    }
  })
  return best
}

/** The share of the question's names that stand in the text in full, and half of it for a part of the name. */
function nameMatch(question: Question, index: TermIndex): number {
  if (question.names.length === 0) return 0
  const met = question.names.map((roots) => {
    const found = roots.filter((root) => index.roots.has(root)).length
    return found === roots.length ? 1 : found > 0 ? 0.5 * (found / roots.length) : 0
  })
  return met.reduce<number>((sum, value) => sum + value, 0) / met.length
}

/** The share of the question's codes and numbers that the text has. Minus that share is the penalty for missing ones. */
function codeMatch(question: Question, index: TermIndex): number {
  const codes = question.terms.filter(
    (term) => term.kind === 'code' || (term.kind === 'number' && term.norm.length > 2),
  )
  if (codes.length === 0) return 0
  const met = codes.filter((term) => index.norms.has(term.norm)).length / codes.length
  return 2 * met - 1
}

/** Pairs of neighbouring content words, as roots. */
function pairsOf(text: string): Set<string> {
  const roots = tokensOf(text).map((token) => (rarity(token) > 0 ? rootOf(token) : ''))
  const pairs = new Set<string>()
  for (let at = 1; at < roots.length; at += 1) {
    if (roots[at - 1] !== '' && roots[at] !== '') pairs.add(`${roots[at - 1]!} ${roots[at]!}`)
  }
  return pairs
}

function phraseMatch(question: Question, text: string): number {
  const asked = pairsOf(question.text)
  if (asked.size === 0) return 0
  const present = pairsOf(text)
  return [...asked].filter((pair) => present.has(pair)).length / asked.size
}

/** How much of the question's weight the text comes back to, 0 to 1. */
function repeats(question: Question, index: TermIndex): number {
  let met = 0
  let all = 0
  for (const term of question.terms) {
    const count = index.roots.get(term.root) ?? 0
    met += term.weight * (count > 1 ? 1 - 1 / count : 0)
    all += term.weight
  }
  return all === 0 ? 0 : met / all
}

/**
 * How relevant a passage is to a query: a raw score (logit), higher is better, 0 is undecided. Looks at how much of the
 * query's weight the passage and its best few sentences cover, at names, codes, numbers and phrases, and at whether
 * there is something of the kind that is asked for.
 */
export function scoreRelevance(query: string, text: string): number {
  const question = analyseQuestion(query)
  const index = indexOf(text)
  const window = bestWindow(question, text)
  const anyMatch = question.terms.some((term) => matchStrength(term, index) > 0)
  return (
    WEIGHT.bias +
    WEIGHT.passage * coverage(question.terms, index) +
    WEIGHT.window * window.coverage +
    WEIGHT.names * nameMatch(question, index) +
    WEIGHT.codes * codeMatch(question, index) +
    WEIGHT.phrases * phraseMatch(question, text) +
    WEIGHT.repeats * repeats(question, index) +
    (anyMatch ? WEIGHT.kind * kindFit(window.text, question) : 0)
  )
}
