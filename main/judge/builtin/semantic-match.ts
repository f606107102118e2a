import type { JudgeTask, LetterVerdict } from '../../../core/judging/judge-task.ts'
import { type Opinion, percent, refusesHonestly, verdictOf } from './grading.ts'
import { sentencesOf, termsOf } from './words.ts'

/** Features of a text with their weights, and the length of the vector. */
interface TextVector {
  features: ReadonlyMap<string, number>
  norm: number
}

/** Sets what a whole word weighs beside its pieces. */
const WORD_SHARE = 0.5
const PIECE = 3

/**
 * A sparse vector of words and of their pieces of three characters (fastText's idea of subword features: Bojanowski et al. 2017), so that
 * related forms, compounds and misspellings come near each other. Numbers and codes have no pieces: 1904 is not almost 1905.
 */
export function vectorOf(text: string): TextVector {
  const features = new Map<string, number>()
  const add = (feature: string, weight: number): void =>
    void features.set(feature, (features.get(feature) ?? 0) + weight)
  for (const { stem, weight } of termsOf(text)) {
    const isNumber = /\p{N}/u.test(stem)
    add(`=${stem}`, isNumber ? weight : weight * WORD_SHARE)
    if (isNumber) continue
    const padded = `^${stem}$`
    const pieces = Math.max(1, padded.length - PIECE + 1)
    for (let at = 0; at < pieces; at += 1)
      add(padded.slice(at, at + PIECE), (weight * (1 - WORD_SHARE)) / Math.sqrt(pieces))
  }
  let squares = 0
  for (const weight of features.values()) squares += weight * weight
  return { features, norm: Math.sqrt(squares) }
}

/** Cosine of two vectors, 0 where one is empty. */
export function cosine(a: TextVector, b: TextVector): number {
  if (a.norm === 0 || b.norm === 0) return 0
  const [few, many] = a.features.size <= b.features.size ? [a, b] : [b, a]
  let product = 0
  for (const [feature, weight] of few.features) product += weight * (many.features.get(feature) ?? 0)
  return product / (a.norm * b.norm)
}

/** Raised whenever a verdict may come out differently. */
export const SEMANTIC_MATCH_VERSION = 1

/** A gain from here on counts as the same statement; below the other as nothing in common. */
const SAME = 0.6
const NOTHING = 0.1
/** This much room is reckoned with where the question already comes near a statement, so that noise is not a gain. */
const LEAST_ROOM = 0.25
/** A cosine from which a sentence is near the matter. */
const NEAR = 0.24
/** Evidence sentences used instead of a missing reference. */
const STAND_INS = 3

const stretched = (gain: number): number => Math.min(1, Math.max(0, (gain - NOTHING) / (SAME - NOTHING)))

const nearest = (wanted: TextVector, offered: readonly TextVector[]): number =>
  offered.reduce((best, vector) => Math.max(best, cosine(wanted, vector)), 0)

/** Every sentence and every two neighbours: a fact may be stated in one or in two. */
function windowsOf(sentences: readonly string[]): TextVector[] {
  const pairs = sentences.slice(1).map((sentence, index) => `${sentences[index]!} ${sentence}`)
  return [...sentences, ...pairs].map(vectorOf)
}

interface Sought {
  sentence: string
  weight: number
}

/** Returns what an answer should state: the reference, or the evidence nearest to the question, by its nearness. */
function soughtIn({ question, reference, evidence }: JudgeTask): Sought[] {
  if (reference !== null) return sentencesOf(reference).map((sentence) => ({ sentence, weight: 1 }))
  const asked = vectorOf(question)
  return evidence
    .flatMap(sentencesOf)
    .map((sentence) => ({ sentence, weight: cosine(asked, vectorOf(sentence)) ** 2 }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || (a.sentence < b.sentence ? -1 : 1))
    .slice(0, STAND_INS)
}

/** A statement to be looked for, and how near the question alone comes to it: repeating the question must earn nothing. */
interface Goal {
  vector: TextVector
  given: number
}

/**
 * Grades by likeness of statements. Each sentence of the reference, bare and read with the question, looks for its nearest sentence or
 * pair of sentences in the answer; what counts is how much nearer that comes than the question itself. A part of the grade is the
 * share of the answer that is near reference or question. Without a reference the evidence nearest to the question is used.
 * Does not measure truth: a likely sentence with the wrong name is near too.
 */
export function judgeSemanticMatch(task: JudgeTask): LetterVerdict {
  const question = vectorOf(task.question)
  const goal = (text: string): Goal => {
    const vector = vectorOf(text)
    return { vector, given: cosine(vector, question) }
  }
  const goals = soughtIn(task).map(({ sentence, weight }) => ({
    weight,
    forms: [goal(sentence), goal(`${task.question} ${sentence}`)],
  }))
  const total = goals.reduce((sum, { weight }) => sum + weight, 0)
  const targets = [question, ...goals.flatMap(({ forms }) => forms.map(({ vector }) => vector))]

  function opinion(text: string): Opinion {
    if (!task.answerable)
      return refusesHonestly(text)
        ? { merit: 1, reason: 'states that there is no answer, as the reference does' }
        : { merit: 0.1, reason: 'states something where there is nothing to state' }
    const sentences = sentencesOf(text)
    const windows = windowsOf(sentences)
    const near = sentences.filter((sentence) => nearest(vectorOf(sentence), targets) >= NEAR).length
    const focus = sentences.length === 0 ? 0 : near / sentences.length
    const gained = goals.reduce((sum, { weight, forms }) => {
      const gains = forms.map(
        ({ vector, given }) => Math.max(0, nearest(vector, windows) - given) / Math.max(LEAST_ROOM, 1 - given),
      )
      return sum + weight * Math.max(...gains)
    }, 0)
    const gain = total === 0 ? 0 : gained / total
    return {
      merit: stretched(gain) * (0.8 + 0.2 * focus),
      reason: `nearest statements come ${percent(gain)} of the way; ${percent(focus)} of the sentences are near the matter`,
    }
  }
  return verdictOf(task, opinion)
}
