import type { FoundPassages } from '../../../contract/control/own-datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { evidenceWords } from '../../lib/text/evidence-words.ts'
import { PASSAGE_END } from '../../manifests/datasets/gold-problems.ts'

// Proposes gold facts: of all sentences and lines that hold the expected answer of a question word for word, the one that shares most words with
// the question. Words alone are compared, so that a person decides whether the passage answers the question.

/** A longer passage is no fact; a table without line ends is one. */
const MOST_CHARACTERS = 600

type Asked = Pick<Question, 'query' | 'ground_truth' | 'gold' | 'answerable'>

interface Wanted {
  line: number
  /** Words of the answer, with a space around each. */
  answer: string
  /** Words of the question that a passage about it can have: names, numbers and terms. */
  terms: ReadonlySet<string>
}

const isTerm = (word: string): boolean => word.length > 3 || /\p{N}/u.test(word)

const inSpaces = (words: readonly string[]): string => ` ${words.join(' ')} `

function wantedOf(line: number, { query, ground_truth: truth, gold, answerable }: Asked): Wanted[] {
  const answer = evidenceWords(truth ?? '')
  if (!answerable || gold.length > 0 || answer.length === 0) return []
  return [{ line, answer: inSpaces(answer), terms: new Set(evidenceWords(query).filter(isTerm)) }]
}

/** The passage without the marks of lists, headings and tables around it. */
const bare = (passage: string): string => passage.replaceAll(/^[\s>#*+|-]+|[\s|]+$/g, '')

/**
 * Returns one passage, or why there is none, for each question that has an expected answer and no gold fact, in the order of the questions. `documents` are
 * read one after another; between two of them other work can run.
 */
export async function goldPassages(
  questions: readonly { line: number; question: Asked }[],
  documents: AsyncIterable<{ document: string; text: string }>,
): Promise<Pick<FoundPassages, 'passages' | 'without'>> {
  const wanted = questions.flatMap(({ line, question }) => wantedOf(line, question))
  const inDocuments = new Set<number>()
  const best = new Map<number, { shared: number; passage: FoundPassages['passages'][number] }>()
  for await (const { document, text } of documents) {
    const all = inSpaces(evidenceWords(text))
    const held = wanted.filter(({ answer }) => all.includes(answer))
    if (held.length === 0) continue
    for (const { line } of held) inDocuments.add(line)
    for (const passage of text.split(PASSAGE_END)) {
      if (passage.length > MOST_CHARACTERS) continue
      const words = evidenceWords(passage)
      const joined = inSpaces(words)
      for (const { line, answer, terms } of held) {
        if (!joined.includes(answer)) continue
        const shared = terms.intersection(new Set(words)).size
        if (shared > (best.get(line)?.shared ?? 0))
          best.set(line, { shared, passage: { line, document, fact: bare(passage) } })
      }
    }
  }
  return {
    passages: wanted.flatMap(({ line }) => best.get(line)?.passage ?? []),
    without: wanted
      .filter(({ line }) => !best.has(line))
      .map(({ line }) => ({ line, reason: inDocuments.has(line) ? 'passage_unclear' : 'answer_absent' })),
  }
}
