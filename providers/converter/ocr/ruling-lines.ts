import type { Graphic } from '@llamaindex/liteparse'
import type { Raster } from './raster.ts'

const DARK = 140
const LEAST_WIDTH_PT = 40
const LEAST_HEIGHT_PT = 14
/** Rules are thin; what is thicker is a picture or a filled area. */
const MOST_THICKNESS_PT = 4

interface Run {
  from: number
  to: number
  first: number
  last: number
}

/** Straight horizontal and vertical rules of a scanned page, such as the borders of a table. */
export function rulingLines(raster: Raster): Graphic[] {
  const scale = raster.widthPt / raster.width
  const { pixels, width, height } = raster
  const across = runs(
    height,
    width,
    (y, x) => pixels[y * width + x]! < DARK,
    LEAST_WIDTH_PT / scale,
    MOST_THICKNESS_PT / scale,
  )
  const down = runs(
    width,
    height,
    (x, y) => pixels[y * width + x]! < DARK,
    LEAST_HEIGHT_PT / scale,
    MOST_THICKNESS_PT / scale,
  )
  const at = (run: Run): number => ((run.first + run.last + 1) / 2) * scale
  return [
    ...across.map((run): Graphic => ({
      kind: 'stroke',
      x1: run.from * scale,
      x2: run.to * scale,
      y1: at(run),
      y2: at(run),
      hasStroke: true,
    })),
    ...down.map((run): Graphic => ({
      kind: 'stroke',
      x1: at(run),
      x2: at(run),
      y1: run.from * scale,
      y2: run.to * scale,
      hasStroke: true,
    })),
  ]
}

/** Long dark runs along each line of pixels; neighbours that overlap are one rule. */
function runs(
  lines: number,
  length: number,
  isDark: (line: number, at: number) => boolean,
  least: number,
  thickest: number,
): Run[] {
  const found: Run[] = []
  let open: Run[] = []
  for (let line = 0; line < lines; line += 1) {
    const next: Run[] = []
    for (const { from, to } of darkRuns(line, length, isDark, least)) {
      const same = open.find((run) => run.from < to && from < run.to)
      if (same === undefined) {
        const run = { from, to, first: line, last: line }
        found.push(run)
        next.push(run)
      } else {
        same.from = Math.min(same.from, from)
        same.to = Math.max(same.to, to)
        same.last = line
        if (!next.includes(same)) next.push(same)
      }
    }
    open = next
  }
  return found.filter(({ first, last }) => last - first + 1 <= thickest)
}

function darkRuns(
  line: number,
  length: number,
  isDark: (line: number, at: number) => boolean,
  least: number,
): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  // A run that is long enough covers one of these places, so most pixels need not be looked at.
  const step = Math.max(1, Math.floor(least / 2))
  for (let at = step; at < length; at += step) {
    if (!isDark(line, at)) continue
    let from = at
    while (from > 0 && isDark(line, from - 1)) from -= 1
    let to = at + 1
    while (to < length && isDark(line, to)) to += 1
    if (to - from >= least) found.push({ from, to })
    at = Math.max(at, to - (to % step))
  }
  return found
}
