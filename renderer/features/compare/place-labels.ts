/** A point with a name to write beside it, in pixels. */
export interface LabelPoint {
  x: number
  y: number
  /** Of the written name. */
  width: number
}

export interface PlacedLabel {
  /** Left end and base line of the text. */
  x: number
  y: number
  /** The name stands so far from its point that a line must join them. */
  isFar: boolean
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

export interface LabelArea {
  left: number
  right: number
  top: number
  bottom: number
}

const ASCENT = 11
const DESCENT = 3
const MARKER = 7
const GAP = 9
const STEP = ASCENT + DESCENT
/** Rows above and below a point that are tried before a name is left where it collides. */
const ROWS = 12

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))

const textBox = (x: number, y: number, width: number): Box => ({
  ...{ left: x, right: x + width },
  ...{ top: y - ASCENT, bottom: y + DESCENT },
})

/** Base lines to try, nearest first: a row above, a row below, two above … */
const OFFSETS = [
  -6,
  ASCENT,
  ...Array.from({ length: ROWS }, (_, row) => [-6 - (row + 1) * STEP, ASCENT + (row + 1) * STEP]),
].flat()

/**
 * A place for each name such that no name covers another or a marker and none leaves the area: beside its point where there is room, else
 * the nearest free row right or left of it. Names are placed from top to bottom; where nothing is free, the place that covers least.
 */
export function placeLabels(points: readonly LabelPoint[], area: LabelArea): PlacedLabel[] {
  const taken: Box[] = points.map(({ x, y }) => ({
    ...{ left: x - MARKER, right: x + MARKER },
    ...{ top: y - MARKER, bottom: y + MARKER },
  }))
  const placed: PlacedLabel[] = []
  const order = points
    .map((_, index) => index)
    .sort((a, b) => points[a]!.y - points[b]!.y || points[a]!.x - points[b]!.x)
  for (const index of order) {
    const { x, y, width } = points[index]!
    let best: { label: PlacedLabel; box: Box; covered: number } | null = null
    for (const [row, offset] of OFFSETS.entries()) {
      for (const at of [x + GAP, x - GAP - width]) {
        const box = textBox(at, y + offset, width)
        const isInside =
          box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom
        if (!isInside) continue
        const covered = taken.reduce((sum, each) => sum + overlap(box, each), 0)
        if (best === null || covered < best.covered)
          best = { label: { x: at, y: y + offset, isFar: row > 1 }, box, covered }
        if (covered === 0) break
      }
      if (best?.covered === 0) break
    }
    const label = best?.label ?? { x: x + GAP, y: y - 6, isFar: false }
    placed[index] = label
    taken.push(best?.box ?? textBox(label.x, label.y, width))
  }
  return placed
}
