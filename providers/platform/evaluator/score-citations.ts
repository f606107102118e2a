// Citations of an answer, sentence by sentence (ALCE, arXiv 2305.14627): are the cited passages enough for the sentence, and is each of them needed?
import { citedNumbers, withoutCitations } from '../../../core/citations.ts'
import { sentencesOf } from '../models/builtin/language/sentences.ts'
import type { Critic, Verdict } from './critics/critic.ts'

/** Sentences judged of one answer. */
const MAX_SENTENCES = 50
/** Citations judged of one sentence, as published. */
const MAX_CITATIONS = 3

export interface CitedSentence {
  text: string
  numbers: number[]
}

export interface JudgedSentence extends CitedSentence, Verdict {
  /** For each number, true when the citation helps to support the sentence. */
  isNeeded: boolean[]
}

/** Citations after the end of a sentence belong to it. */
const AFTER_END = /([.!?…]+["'”’)]*)((?:\s?\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\])+)/g

/** Sentences of an answer with the numbers that they cite; headings and lines without a word are none. */
export function citedSentences(answer: string): CitedSentence[] {
  const text = answer.replace(AFTER_END, '$2$1')
  return sentencesOf(text)
    .filter(({ kind }) => kind !== 'heading')
    .map(({ start, end }) => text.slice(start, end))
    .map((sentence) => ({
      text: withoutCitations(sentence).trim(),
      numbers: citedNumbers(sentence).slice(0, MAX_CITATIONS),
    }))
    .filter((sentence) => /\p{L}/u.test(sentence.text))
    .slice(0, MAX_SENTENCES)
}

async function judgeSentence(
  { text, numbers }: CitedSentence,
  contexts: readonly string[],
  critic: Critic,
  signal?: AbortSignal,
): Promise<JudgedSentence> {
  const none = (reason: string): JudgedSentence => ({
    text,
    numbers,
    verdict: false,
    reason,
    isNeeded: numbers.map(() => false),
  })
  if (numbers.length === 0) return none('it cites nothing')
  const unknown = numbers.find((number) => number < 1 || number > contexts.length)
  if (unknown !== undefined) return none('it cites a passage that was not handed over')
  const supports = async (cited: readonly number[]): Promise<Verdict> => {
    const texts = cited.map((number) => contexts[number - 1]!)
    return (await critic.judgeStatements([text], texts, signal))[0]!
  }
  const { verdict, reason, ...omitted } = await supports(numbers)
  const isNeeded: boolean[] = []
  for (const number of numbers) {
    const others = numbers.filter((other) => other !== number)
    // One alone is needed where it supports; of several, one that does not support alone is needed where the others do not either.
    const helps =
      verdict && (others.length === 0 || (await supports([number])).verdict || !(await supports(others)).verdict)
    isNeeded.push(helps)
  }
  return { text, numbers, verdict, reason, isNeeded, ...omitted }
}

/** The sentences of an answer whose citations are the numbers of its contexts, from 1. */
export async function judgeCitations(
  citedAnswer: string,
  contexts: readonly string[],
  critic: Critic,
  signal?: AbortSignal,
): Promise<JudgedSentence[]> {
  const judged: JudgedSentence[] = []
  for (const sentence of citedSentences(citedAnswer))
    judged.push(await judgeSentence(sentence, contexts, critic, signal))
  return judged
}
