import { NO_ANSWER } from '../../../../../contract/prompts.ts'
import type { AnswerTask, Passage } from '../../prompts/answer-task.ts'
import { namesOf } from '../language/names.ts'
import { rootOf } from '../language/roots.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'
import { indexOf, matchStrength, termsOf } from '../matching/terms.ts'
import type { Term } from '../matching/terms.ts'

/** A sentence of a passage with how well it meets each term of the question, 0 to 1. */
interface Candidate {
  text: string
  strengths: readonly number[]
  /** Position in reading order. */
  at: number
}

/** Limits the sentences of an answer. */
export const MOST_SENTENCES = 3
/** Share of the question's weight that the quoted sentences must meet, and what a further sentence must add. */
const LEAST_SHARE = 0.25
const LEAST_GAIN = 0.05
/** Sets what a match counts in the title, the heading or the sentence before. */
const NEAR = 0.55

/** Matches the way in which the graph engine introduces a statement: "A – keywords – B: statement". No document contains it. */
const LINK = /^\S[^–]* – [^–]+ – [^–:]+(?:: |\.$)/u

/** A sentence with the period that a table row or a list item lacks. */
export const closed = (text: string): string => (/[.!?…:;"”’')\]]$/.test(text) ? text : `${text}.`)

/**
 * Answers a question with one to three sentences of the passages, word for word but for Markdown marks, white space and a period after
 * table rows, or with NO_ANSWER and what is missing when they do not support an answer.
 */
export function answerQuestion({ question, passages }: AnswerTask): string {
  const terms = termsOf(question)
  const { sentences, share } = gather(terms, candidatesOf(terms, passages))
  const refusal = refusalReason(question, passages, share)
  if (refusal !== null) return `${NO_ANSWER} ${refusal}`
  return sentences.map(({ text }) => closed(text)).join(' ')
}

/** Every whole sentence of the passages once; a piece that the border of a chunk cut counts where no sentence is whole. */
function candidatesOf(terms: readonly Term[], passages: readonly Passage[]): Candidate[] {
  const all = passages.flatMap(({ title, text }) => {
    let before = title
    return sentencesOf(text).flatMap((sentence) => {
      const near = indexOf(before)
      before = `${title}\n${sentence.text}`
      if (sentence.kind === 'heading' || sentence.text.endsWith('?')) return []
      const own = indexOf(sentence.text)
      const strengths = terms.map((term) => Math.max(matchStrength(term, own), NEAR * matchStrength(term, near)))
      const quoted = title === 'Relations' ? sentence.text.replace(LINK, '') : sentence.text
      return quoted === '' ? [] : [{ text: quoted, strengths, whole: sentence.whole }]
    })
  })
  const whole = all.filter((candidate) => candidate.whole)
  const once = new Map((whole.length > 0 ? whole : all).map((candidate) => [candidate.text, candidate]))
  return [...once.values()].map((candidate, at) => ({ ...candidate, at }))
}

const shareOf = (terms: readonly Term[], strengths: readonly number[]): number => {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  return all === 0 ? 0 : terms.reduce((sum, { weight }, at) => sum + weight * strengths[at]!, 0) / all
}

/** Takes the sentence that meets most of the question, then each time the one that adds most to what is unmet; in reading order. */
function gather(terms: readonly Term[], candidates: readonly Candidate[]): { sentences: Candidate[]; share: number } {
  const chosen: Candidate[] = []
  let met = terms.map(() => 0)
  let share = 0
  while (chosen.length < MOST_SENTENCES) {
    const joined = candidates
      .filter((candidate) => !chosen.includes(candidate))
      .map((candidate) => {
        const strengths = met.map((strength, at) => Math.max(strength, candidate.strengths[at]!))
        return { candidate, strengths, share: shareOf(terms, strengths), alone: shareOf(terms, candidate.strengths) }
      })
      .toSorted((a, b) => b.share - a.share || b.alone - a.alone)
    const best = joined[0]
    if (best === undefined || best.share - share < LEAST_GAIN) break
    chosen.push(best.candidate)
    met = best.strengths
    share = best.share
  }
  return { sentences: chosen.toSorted((a, b) => a.at - b.at), share }
}

/** Why the passages do not answer a question, in one sentence, or null when they may. */
export function refusalReason(question: string, passages: readonly Passage[], share: number): string | null {
  const everything = indexOf(passages.map(({ title, text }) => `${title}\n${text}`).join('\n'))
  const code = tokensOf(question).find(({ kind, norm }) => kind === 'code' && !everything.norms.has(norm))
  if (code !== undefined) return `They do not mention ${code.text}.`
  // A single capital may be an adjective or open a sentence.
  const names = namesOf(question).filter(({ text }) => text.includes(' '))
  const isMentioned = (name: string): boolean => tokensOf(name).some((token) => everything.roots.has(rootOf(token)))
  if (names.length > 0 && !names.some(({ text }) => isMentioned(text))) return `They do not mention ${names[0]!.text}.`
  return share < LEAST_SHARE ? 'They say too little about what is asked.' : null
}
