// The formulas of the model-graded metrics over what a critic decided, as Ragas 0.4.3 has them.

/** Cosine of the angle between two vectors; NaN when they differ in length or one has no direction. */
export function cosine(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return Number.NaN
  let dot = 0
  let leftSquare = 0
  let rightSquare = 0
  for (const [index, value] of left.entries()) {
    const other = right[index]!
    dot += value * other
    leftSquare += value * value
    rightSquare += other * other
  }
  return dot / Math.sqrt(leftSquare * rightSquare)
}

/** Mean of yes and no; NaN of none. */
export const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length

/** Share of an answer's statements that the contexts support: Σ verdicts / n (Ragas 0.4.3). NaN when there are no statements. */
export const faithfulness = share

/**
 * F1 of statements (Ragas 0.4.3, factual correctness): those of the answer that the reference supports are hits; those that it does not and those of the
 * reference that the answer lacks are misses. 0 without a hit.
 */
export function claimsF1(ofAnswer: readonly boolean[], ofReference: readonly boolean[]): number {
  const hits = ofAnswer.filter(Boolean).length
  const misses = ofAnswer.length - hits + ofReference.filter((isThere) => !isThere).length
  return hits === 0 ? 0 : hits / (hits + misses / 2)
}

/** Share of statements that neither reference nor contexts support (RAGChecker, hallucination). NaN when there are no statements. */
export function hallucinationRate(correct: readonly boolean[], inContexts: readonly boolean[]): number {
  return correct.filter((isCorrect, index) => !isCorrect && inContexts[index] !== true).length / correct.length
}

/** Sets how many questions are generated from an answer. */
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

/** Keeps the quotient finite when nothing is useful, as in Ragas. */
const EPSILON = 1e-10

/**
 * Average precision of useful contexts in their order: Σ_k (precision@k · v_k) / (Σ v + 1e-10) (Ragas 0.4.3, with reference). None
 * useful is 0.
 */
export function contextPrecision(useful: readonly boolean[]): number {
  let usefulSoFar = 0
  let sum = 0
  for (const [index, verdict] of useful.entries()) {
    if (!verdict) continue
    usefulSoFar += 1
    sum += usefulSoFar / (index + 1)
  }
  return sum / (usefulSoFar + EPSILON)
}

/** Share of the reference's statements that the contexts hold: mean of the attributions (Ragas 0.4.3). NaN when there are none. */
export const contextRecall = share
