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
