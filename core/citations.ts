import type { RowEvidence } from '../contract/evidence/canonical-row.ts'
import { Citations } from '../contract/evidence/rag-extension.ts'

type ScoredEvidence = Pick<RowEvidence, 'answer' | 'approach_metadata'>

/** Numbers of passages in brackets, as in [2], [1][3] or [1, 3], with the space before them. */
const CITATION = /\s?\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]/g

/** The numbers that an answer cites, each once, in the order of the text. */
export function citedNumbers(answer: string): number[] {
  const numbers = (answer.match(CITATION) ?? []).flatMap((citation) => citation.match(/\d+/g) ?? [])
  return [...new Set(numbers.map(Number))]
}

export const withoutCitations = (answer: string): string => answer.replace(CITATION, '')

/**
 * The answer with the numbers of its citations changed to those of its contexts, from 1; a number that no passage had becomes one that no context has.
 * Null where no model was asked to cite, or where it cites a passage that is not among the contexts, so that the citation cannot be checked.
 */
export function citedAnswer({
  answer,
  contexts,
  approach_metadata: metadata,
}: ScoredEvidence & Pick<RowEvidence, 'contexts'>): string | null {
  const citations = Citations.safeParse(metadata?.['citations'])
  if (!citations.success) return null
  const positions = new Map(citations.data.cited.map(({ number, context }) => [number, context ?? null]))
  if ([...positions.values()].includes(null)) return null
  return answer.replace(CITATION, (citation) =>
    citation.replace(/\d+/g, (number) => String(positions.get(Number(number)) ?? contexts.length + 1)),
  )
}

/** An answer as it is scored and judged: the number of a passage is no part of what it says. Brackets stay where no model was asked to cite. */
export const scoredAnswer = ({ answer, approach_metadata: metadata }: ScoredEvidence): string =>
  metadata?.['citations'] === undefined ? answer : withoutCitations(answer)
