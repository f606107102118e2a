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
