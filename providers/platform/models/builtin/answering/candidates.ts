import type { Passage } from '../../prompts/answer-task.ts'
import { sentencesOf } from '../language/sentences.ts'
import type { Sentence } from '../language/sentences.ts'
import { indexOf } from '../matching/terms.ts'
import type { TermIndex } from '../matching/terms.ts'

/** A sentence that may be part of an answer, with the text around it. */
export type Candidate = {
  text: string
  kind: Sentence['kind']
  whole: boolean
  /** Index of its passage, and its place among the sentences of that passage. */
  passage: number
  position: number
  own: TermIndex
  /** The two sentences before it and the heading above it: they often name its subject. */
  near: TermIndex
  /** The whole passage with its title. */
  around: TermIndex
}

const SENTENCES_BEFORE = 2

/** How the graph engine introduces a statement that does not name what it relates: "A – keywords – B: statement". */
const LINK = /^\S[^–]* – [^–]+ – [^–:]+(?:: |\.$)/u

/** A sentence without the link that a graph's relation puts before it: the link helps to match it, but no text contains it. */
const withoutLink = (passage: Passage, text: string): string =>
  passage.title === 'Relations' ? text.replace(LINK, '') : text

const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function candidatesOf(passage: Passage, number: number): Candidate[] {
  const sentences = sentencesOf(passage.text)
  const around = indexOf(`${passage.title}\n${passage.text}`)
  let heading = passage.title
  return sentences.flatMap((sentence, position): Candidate[] => {
    if (sentence.kind === 'heading') {
      heading = sentence.text
      return []
    }
    const before = sentences.slice(Math.max(0, position - SENTENCES_BEFORE), position).map((each) => each.text)
    const near = indexOf([heading, ...before].join('\n'))
    const { kind, whole } = sentence
    const text = withoutLink(passage, sentence.text)
    if (text === '') return []
    return [{ text, kind, whole, passage: number, position, own: indexOf(sentence.text), near, around }]
  })
}

/**
 * Every sentence of the passages once, headings left out. Chunks overlap, so a piece that was cut gives way to a
 * sentence that holds it.
 */
export function candidateSentences(passages: readonly Passage[]): Candidate[] {
  const all = passages.flatMap(candidatesOf)
  const wholeTexts = all.filter((candidate) => candidate.whole).map((candidate) => comparable(candidate.text))
  const seen = new Set<string>()
  return all.filter((candidate) => {
    const text = comparable(candidate.text)
    if (text === '' || seen.has(text)) return false
    if (!candidate.whole && wholeTexts.some((whole) => whole.includes(text))) return false
    seen.add(text)
    return true
  })
}
