/** Share of the reference's statements that the contexts hold: mean of the attributions (Ragas 0.4.3). NaN when there are none. */
export function contextRecall(attributed: readonly boolean[]): number {
  return attributed.filter(Boolean).length / attributed.length
}
