/**
 * From the detection network's output for each pixel to the areas that hold a line of text (the last step of "Differentiable Binarization").
 * The network marks the core of each line only, so that lines close together stay apart; an area is that core, made larger again.
 */

/** A rectangle around a line of text, in pixels. It is turned by `angle` around its middle, at most an eighth of a full turn. */
export interface TextArea {
  x: number
  y: number
  width: number
  height: number
  /** Radians, clockwise on the page. */
  angle: number
}

/** For each pixel, row by row, the probability that it belongs to text. */
export interface TextMap {
  values: Float32Array
  width: number
  height: number
}

/** As the network was trained and is used by its authors. */
const LEAST_PROBABILITY = 0.3
const LEAST_MEAN = 0.6
const GROWTH = 1.5
/** Smaller cores are specks. */
const LEAST_SIDE = 3

interface Point {
  x: number
  y: number
}

/** The areas of text, from the top of the map to its bottom. */
export function textAreas(map: TextMap): TextArea[] {
  const seen = new Uint8Array(map.values.length)
  const areas: TextArea[] = []
  for (let start = 0; start < seen.length; start += 1) {
    if (seen[start] === 1 || map.values[start]! <= LEAST_PROBABILITY) continue
    const { edge, mean } = coreFrom(start, map, seen)
    const core = smallestRectangle(convexHull(edge))
    if (mean < LEAST_MEAN || Math.min(core.width, core.height) < LEAST_SIDE) continue
    const growth = (core.width * core.height * GROWTH) / (core.width + core.height)
    areas.push({ ...core, width: core.width + growth, height: core.height + growth })
  }
  return areas
}

/** All pixels that hang together with the first: the left and right ends of each row, and the mean probability. */
function coreFrom(
  start: number,
  { values, width, height }: TextMap,
  seen: Uint8Array,
): { edge: Point[]; mean: number } {
  const rows = new Map<number, [first: number, last: number]>()
  const waiting = [start]
  seen[start] = 1
  let sum = 0
  let count = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const x = at % width
    const y = (at - x) / width
    sum += values[at]!
    count += 1
    const row = rows.get(y)
    if (row === undefined) rows.set(y, [x, x])
    else {
      row[0] = Math.min(row[0], x)
      row[1] = Math.max(row[1], x)
    }
    for (let nextY = Math.max(0, y - 1); nextY <= Math.min(height - 1, y + 1); nextY += 1)
      for (let nextX = Math.max(0, x - 1); nextX <= Math.min(width - 1, x + 1); nextX += 1) {
        const next = nextY * width + nextX
        if (seen[next] === 1 || values[next]! <= LEAST_PROBABILITY) continue
        seen[next] = 1
        waiting.push(next)
      }
  }
  // A pixel is a square: its corners bound the core.
  const edge = [...rows].flatMap(([y, [first, last]]) =>
    [y, y + 1].flatMap((side) => [
      { x: first, y: side },
      { x: last + 1, y: side },
    ]),
  )
  return { edge, mean: sum / count }
}

/** Corners of the smallest convex polygon around the points (monotone chain). */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y)
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = []
    for (const point of ordered) {
      while (chain.length >= 2 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}

const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)

/** The smallest rectangle around a convex polygon: one of its sides lies on a side of the polygon. */
function smallestRectangle(hull: readonly Point[]): TextArea {
  let best: TextArea | null = null
  for (const [index, from] of hull.entries()) {
    const to = hull[(index + 1) % hull.length]!
    const rectangle = rectangleAt(hull, uprightAngle(Math.atan2(to.y - from.y, to.x - from.x)))
    if (best === null || rectangle.width * rectangle.height < best.width * best.height) best = rectangle
  }
  return best!
}

/** The same directions as sides of a rectangle, within an eighth of a full turn. */
const uprightAngle = (angle: number): number => angle - Math.round(angle / (Math.PI / 2)) * (Math.PI / 2)

function rectangleAt(hull: readonly Point[], angle: number): TextArea {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const along = hull.map(({ x, y }) => x * cos + y * sin)
  const across = hull.map(({ x, y }) => y * cos - x * sin)
  const [left, right] = [Math.min(...along), Math.max(...along)]
  const [top, bottom] = [Math.min(...across), Math.max(...across)]
  const [middle, centre] = [(left + right) / 2, (top + bottom) / 2]
  return {
    x: middle * cos - centre * sin,
    y: middle * sin + centre * cos,
    width: right - left,
    height: bottom - top,
    angle,
  }
}
