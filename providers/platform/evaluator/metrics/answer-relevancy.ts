/** How many questions are generated from an answer. */
export const STRICTNESS = 3

/** A question that an answer would be an answer to: its cosine to the user's question, and whether the answer evades. */
export interface GeneratedSimilarity {
  cosine: number
  noncommittal: boolean
}

/**
 * Mean cosine of the generated questions to the user's, or 0 when all are noncommittal or none came (Ragas 0.4.3 collections). Not
 * clamped: it may be slightly negative.
 */
export function answerRelevancy(generated: readonly GeneratedSimilarity[]): number {
  if (generated.every(({ noncommittal }) => noncommittal)) return 0
  return generated.reduce((sum, { cosine }) => sum + cosine, 0) / generated.length
}
