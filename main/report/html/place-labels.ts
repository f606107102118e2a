/** Moves labels apart so that they stand at least `gap` from each other between two ends, in their order and as near to their wishes as can be. */
export function placeLabels(wishes: readonly number[], gap: number, from: number, to: number): number[] {
  const order = Array.from(wishes.keys()).sort((a, b) => wishes[a]! - wishes[b]! || a - b)
  const placed = new Array<number>(wishes.length).fill(0)
  let last = -Infinity
  for (const index of order) {
    last = Math.max(wishes[index]!, last + gap, from)
    placed[index] = last
  }
  let next = to + gap
  for (const index of order.toReversed()) {
    next = Math.min(placed[index]!, next - gap)
    placed[index] = next
  }
  return placed
}
