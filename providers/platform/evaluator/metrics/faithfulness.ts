/** Share of an answer's statements that the contexts support: Σ verdicts / n (Ragas 0.4.3). NaN when there are no statements. */
export function faithfulness(supported: readonly boolean[]): number {
  return supported.filter(Boolean).length / supported.length
}
