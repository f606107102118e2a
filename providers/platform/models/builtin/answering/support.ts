import { kindFit } from '../matching/answer-kind.ts'
import type { Question } from '../matching/question.ts'
import { matchStrength } from '../matching/terms.ts'
import type { Term } from '../matching/terms.ts'
import type { Candidate } from './candidates.ts'

/** A question's term with its weight among these passages: a term in every sentence distinguishes none. */
export type WeighedTerm = Term & { local: number }

/** A candidate with how well it meets each term of the question (0 to 1) and what it is worth alone. */
export type Supported = { candidate: Candidate; strengths: readonly number[]; fit: number; score: number }

/** How much a match counts in the sentences just before, and elsewhere in the passage. */
const NEAR = 0.55
const AROUND = 0.5

/** The part of a term's weight that does not depend on how many sentences hold it. */
const CONSTANT_WEIGHT = 0.4

const FIT_BONUS = 0.12

/** A noun that is asked for ("which river") is seldom repeated beside its instance. */
const FOCUS_WEIGHT = 0.6

/** Weighs the question's terms by their rarity and by how few of the sentences hold them. */
export function weighTerms(question: Question, candidates: readonly Candidate[]): WeighedTerm[] {
  const total = candidates.length
  return question.terms.map((term) => {
    const holding = candidates.filter((candidate) => candidate.own.roots.has(term.root)).length
    const spread = Math.log(1 + total / (1 + holding)) / Math.log(2 + total)
    const focus = question.focus.has(term.root) ? FOCUS_WEIGHT : 1
    return { ...term, local: term.weight * (CONSTANT_WEIGHT + (1 - CONSTANT_WEIGHT) * spread) * focus }
  })
}

function strengthIn(term: Term, candidate: Candidate): number {
  const own = matchStrength(term, candidate.own)
  if (own >= NEAR) return own
  return Math.max(own, NEAR * matchStrength(term, candidate.near), AROUND * matchStrength(term, candidate.around))
}

/** Strengths as a share of what all terms weigh together, 0 to 1. */
export function weighedShare(terms: readonly WeighedTerm[], strengths: readonly number[]): number {
  const all = terms.reduce((sum, term) => sum + term.local, 0)
  return all === 0 ? 0 : terms.reduce((sum, term, at) => sum + term.local * strengths[at]!, 0) / all
}

/** What a sentence's form takes off: half sentences, questions and very short ones are poor answers. */
function formPenalty(candidate: Candidate): number {
  const { text, whole } = candidate
  return (whole ? 0 : 0.08) + (text.endsWith('?') ? 0.15 : 0) + (text.length < 25 ? 0.05 : 0)
}

/** How well a sentence supports an answer, read with the text around it. */
export function support(question: Question, terms: readonly WeighedTerm[], candidate: Candidate): Supported {
  const strengths = terms.map((term) => strengthIn(term, candidate))
  const fit = kindFit(candidate.text, question)
  const score = weighedShare(terms, strengths) + FIT_BONUS * fit - formPenalty(candidate)
  return { candidate, strengths, fit, score }
}
