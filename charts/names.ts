/** About the width of a letter in the 12-pixel type of charts. */
export const LETTER_WIDTH = 6.6

/** At most `letters` letters; a cut text ends with an ellipsis. */
export function shortened(text: string, letters: number): string {
  const all = Array.from(text)
  return all.length <= letters ? text : `${all.slice(0, Math.max(1, letters - 1)).join('')}…`
}

/** Words in at most `lines` lines of `letters` letters; what does not fit is cut. */
export function wrapped(text: string, letters: number, lines: number): string[] {
  const laid: string[] = []
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = laid.at(-1)
    if (last !== undefined && (laid.length === lines || Array.from(last + word).length < letters))
      laid[laid.length - 1] = `${last} ${word}`
    else laid.push(word)
  }
  return laid.map((line) => shortened(line, letters))
}

/** Moves labels apart so that they are at least `gap` from each other between two ends, in their order and as near to their wishes as can be. */
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

/**
 * Places the labels beside a chart, which lines join to their points. Where points are at one height, the lines of the labels below it go down to the
 * right and do not cross when the point farthest to the left has the lowest label; of the labels above it, the highest.
 */
export function labelPlaces(
  points: readonly { x: number; y: number }[],
  gap: number,
  from: number,
  to: number,
): number[] {
  const places = placeLabels(
    points.map(({ y }) => y),
    gap,
    from,
    to,
  )
  const result = [...places]
  for (const height of new Set(points.map(({ y }) => y))) {
    const level = [...points.keys()].filter((index) => points[index]!.y === height)
    const slots = level.map((index) => places[index]!).sort((a, b) => Math.abs(a - height) - Math.abs(b - height))
    const nearest = level.toSorted((a, b) => points[b]!.x - points[a]!.x)
    for (const [order, index] of nearest.entries()) result[index] = slots[order]!
  }
  return result
}
