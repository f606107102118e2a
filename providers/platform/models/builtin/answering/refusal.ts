import type { Passage } from '../../prompts/answer-task.ts'
import { namesOf } from '../language/names.ts'
import { rootOf } from '../language/roots.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'
import { offersKind } from '../matching/answer-kind.ts'
import type { Question } from '../matching/question.ts'
import { indexOf, matchStrength, termsOf } from '../matching/terms.ts'
import type { TermIndex } from '../matching/terms.ts'
import { questionShape } from '../routing/question-shape.ts'
import type { Evidence } from './evidence.ts'

/** Share of the question's weight that the evidence must meet. */
const LEAST_SHARE = 0.25

const COUNTED = /\bhow many\s+((?:[\p{L}-]+\s+)?[\p{L}-]+)/giu

/** Codes and acronyms of the question that appear nowhere in the passages; they have no synonyms. */
function missingCode(question: Question, everything: TermIndex): string | null {
  const found = tokensOf(question.text).find(
    (token) =>
      (token.kind === 'code' || (/^\p{Lu}{3,}$/u.test(token.text) && question.text !== question.text.toUpperCase())) &&
      !everything.norms.has(token.norm),
  )
  return found?.text ?? null
}

/**
 * The name that the question is about, when the passages hold no part of any of its names. Only names of several words
 * count: a single capital may be an adjective ("Alpine") or open a sentence.
 */
function missingSubject(question: Question, everything: TermIndex): string | null {
  const names = namesOf(question.text).filter((name) => name.text.includes(' '))
  const isMentioned = (name: string): boolean => tokensOf(name).some((token) => everything.roots.has(rootOf(token)))
  return names.some((name) => isMentioned(name.text)) ? null : (names[0]?.text ?? null)
}

/** What "how many …" counts, when the passages never speak of it. */
function missingCounted(question: Question, everything: TermIndex): string | null {
  for (const match of question.text.matchAll(COUNTED)) {
    const terms = termsOf(match[1]!)
    if (terms.length > 0 && terms.every((term) => matchStrength(term, everything) === 0)) return terms[0]!.norm
  }
  return null
}

/** A price of something else is no answer: where one thing is asked about by its name, its sentence or the ones before it must name it. */
function lacksMoney(question: Question, evidence: Evidence): boolean {
  if (!question.expects.includes('money')) return false
  const named = questionShape(question.text).hops === 1 ? question.names.flat() : []
  return !evidence.sentences.some(
    ({ text, own, near }) =>
      offersKind('money', text, question) &&
      (named.length === 0 || named.some((root) => own.roots.has(root) || near.roots.has(root))),
  )
}

const NAME_ASKED = /\b(?:what (?:is|was|were|are) the names?|by what name|what (?:is|was) .{1,60}? called)\b/i
const NAME_OF =
  /\bnames? of (?:the|an?|his|her|its|their) (?:[\p{Ll}-]+ ){0,2}?([\p{Ll}-]+)(?= (?:who|that|which|whose|whom|of|in|on|at|from|for|by|to|is|are|was|were|has|had)\b|[,?])/u
const NAMING = /^(?:he|she|it|they|his|her|its|their)\b.{0,40}\b(?:name|named|called|known as)\b/i

/**
 * Who or what a question wants the name of, when the passages speak of it but put no name to it: not in the sentence, nor in the next one where
 * that gives a person's name.
 */
function unnamed(question: Question, evidence: Evidence, passages: readonly Passage[]): string | null {
  const subject = NAME_ASKED.test(question.text) ? NAME_OF.exec(question.text)?.[1] : undefined
  const [term] = subject === undefined ? [] : termsOf(subject)
  if (term === undefined || evidence.sentences.length === 0) return null
  const speaking = passages.flatMap(({ text }) => {
    const sentences = sentencesOf(text).map((sentence) => sentence.text)
    return sentences.flatMap((sentence, at) => {
      // Its own word: a cousin of it, such as the band for the violinist, has names of its own.
      if (!indexOf(sentence).roots.has(term.root)) return []
      const next = sentences[at + 1] ?? ''
      return [NAMING.test(next) ? `${sentence} ${next}` : sentence]
    })
  })
  if (speaking.length === 0 || speaking.some((text) => offersKind('person', text, question))) return null
  return term.norm
}

/**
 * Why the passages do not answer a question, in one sentence, or null when they may. Deliberately cautious: a text that
 * paraphrases is easily mistaken for one that is silent.
 */
export function refusalReason(question: Question, passages: readonly Passage[], evidence: Evidence): string | null {
  const everything = indexOf(passages.map((passage) => `${passage.title}\n${passage.text}`).join('\n'))
  const missing =
    missingCode(question, everything) ?? missingSubject(question, everything) ?? missingCounted(question, everything)
  if (missing !== null) return `They do not mention ${missing}.`
  const nameless = unnamed(question, evidence, passages)
  if (nameless !== null) return `They put no name to the ${nameless}.`
  if (lacksMoney(question, evidence)) return 'They state no such amount of money.'
  return evidence.share < LEAST_SHARE ? 'They say too little about what is asked.' : null
}
