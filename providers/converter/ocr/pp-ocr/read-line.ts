import type { Raster } from '../raster.ts'
import type { TextArea } from './text-areas.ts'

/** A line of text cut out of a page and turned level, in grey from 0 to 255, row by row. */
export interface LinePicture {
  pixels: Float32Array
  width: number
  height: number
}

/** A word of a line: the columns of the picture that it covers. */
export interface LineWord {
  text: string
  from: number
  to: number
  /** 0 to 1. */
  confidence: number
}

/** Cuts an area out of a page; `height` is that of the picture, and the width keeps the proportions. */
export function linePicture(page: Raster, area: TextArea, height: number): LinePicture {
  const scale = area.height / height
  const width = Math.max(1, Math.round(area.width / scale))
  const [cos, sin] = [Math.cos(area.angle), Math.sin(area.angle)]
  const pixels = new Float32Array(width * height)
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const along = (column + 0.5) * scale - area.width / 2
      const across = (row + 0.5) * scale - area.height / 2
      pixels[row * width + column] = greyAt(
        page,
        area.x + along * cos - across * sin - 0.5,
        area.y + along * sin + across * cos - 0.5,
      )
    }
  return { pixels, width, height }
}

/** Between the four pixels around a point, and at the border the nearest. */
function greyAt({ pixels, width, height }: Raster, x: number, y: number): number {
  const left = Math.min(width - 1, Math.max(0, x))
  const top = Math.min(height - 1, Math.max(0, y))
  const [column, row] = [Math.floor(left), Math.floor(top)]
  const [nextColumn, nextRow] = [Math.min(width - 1, column + 1), Math.min(height - 1, row + 1)]
  const at = (each: number, line: number): number => pixels[line * width + each]!
  const upper = at(column, row) + (at(nextColumn, row) - at(column, row)) * (left - column)
  const lower = at(column, nextRow) + (at(nextColumn, nextRow) - at(column, nextRow)) * (left - column)
  return upper + (lower - upper) * (top - row)
}

/**
 * The words of a line from the network's probabilities: per step of `stepWidth` pixels one for each character, the first of which means "none". The
 * likeliest character of each step counts; the same one in steps that follow each other is one character (CTC).
 */
export function lineWords(
  probabilities: Float32Array,
  characters: readonly string[],
  stepWidth: number,
  range: readonly [from: number, to: number],
): LineWord[] {
  const found = readCharacters(probabilities, characters)
  const words: (typeof found)[] = []
  let isWithin = false
  for (const each of found) {
    if (each.text.trim() === '') isWithin = false
    else if (isWithin) words.at(-1)!.push(each)
    else {
      words.push([each])
      isWithin = true
    }
  }
  // The network knows the middle of a character; its sides lie half way to its neighbours.
  const usual = found.length > 1 ? (found.at(-1)!.step - found[0]!.step) / (found.length - 1) : 1
  return words.map((word) => {
    const [first, last] = [word[0]!.step, word.at(-1)!.step]
    const half = (word.length > 1 ? (last - first) / (word.length - 1) : usual) / 2
    return {
      text: word.map(({ text }) => text).join(''),
      from: Math.max(range[0], range[0] + (first + 0.5 - half) * stepWidth),
      to: Math.min(range[1], range[0] + (last + 0.5 + half) * stepWidth),
      confidence: word.reduce((sum, { probability }) => sum + probability, 0) / word.length,
    }
  })
}

interface ReadCharacter {
  text: string
  step: number
  probability: number
}

function readCharacters(probabilities: Float32Array, characters: readonly string[]): ReadCharacter[] {
  const found: ReadCharacter[] = []
  const classes = characters.length
  let former = 0
  for (let step = 0; step * classes < probabilities.length; step += 1) {
    let best = 0
    for (let each = 1; each < classes; each += 1)
      if (probabilities[step * classes + each]! > probabilities[step * classes + best]!) best = each
    if (best !== 0 && best !== former)
      found.push({ text: characters[best]!, step, probability: probabilities[step * classes + best]! })
    former = best
  }
  return found
}

/**
 * Ranges of columns that a line is read in: a line longer than `longest` is cut in the widest gaps between its words. The network drops spaces in
 * lines much longer than those that it was trained on.
 */
export function lineParts(line: LinePicture, longest: number): [from: number, to: number][] {
  const parts: [number, number][] = []
  let from = 0
  while (line.width - from > longest) {
    const cut = widestGap(line, from + Math.round(longest * SHORTEST_PART), from + longest)
    if (cut === null) break
    parts.push([from, cut])
    from = cut
  }
  return [...parts, [from, line.width]]
}

/** A part is at least this share of the longest. */
const SHORTEST_PART = 0.5

/** The middle of the widest range of columns without ink; null where there is none. */
function widestGap(line: LinePicture, first: number, last: number): number | null {
  const ink = threshold(line, 0, line.width)
  if (ink === null) return null
  const [top, bottom] = inkRows(line, 0, line.width)
  const isEmpty = (column: number): boolean => {
    for (let row = top; row < bottom; row += 1) if (line.pixels[row * line.width + column]! < ink) return false
    return true
  }
  let best: { middle: number; width: number } | null = null
  for (let column = first, start = first; column <= last; column += 1) {
    if (column < last && isEmpty(column)) continue
    if (column - start > (best?.width ?? 1)) best = { middle: Math.floor((start + column) / 2), width: column - start }
    start = column + 1
  }
  return best?.middle ?? null
}

/** Least difference between ink and paper. */
const LEAST_CONTRAST = 40

/** Darker pixels are ink; null where nothing stands out in these columns. */
function threshold({ pixels, width, height }: LinePicture, first: number, last: number): number | null {
  let [darkest, lightest] = [255, 0]
  for (let row = 0; row < height; row += 1)
    for (let column = first; column < last; column += 1) {
      const value = pixels[row * width + column]!
      darkest = Math.min(darkest, value)
      lightest = Math.max(lightest, value)
    }
  return lightest - darkest < LEAST_CONTRAST ? null : (darkest + lightest) / 2
}

/** More rows without ink than between a dot and its letter: what follows belongs to another line. */
const MOST_EMPTY_ROWS = 4

/** First row of ink in some columns of a line and the row after the last; the whole height where nothing stands out. */
export function inkRows(line: LinePicture, from: number, to: number): [top: number, bottom: number] {
  const { pixels, width, height } = line
  const [first, last] = [Math.max(0, Math.floor(from)), Math.min(width, Math.ceil(to))]
  const ink = threshold(line, first, last)
  const rows = Array.from({ length: height }, (_, row) => row)
  const isInk = rows.map(
    (row) => ink !== null && pixels.subarray(row * width + first, row * width + last).some((value) => value < ink),
  )
  const middle = (height - 1) / 2
  const nearest = rows.filter((row) => isInk[row]).sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
  if (nearest === undefined) return [0, height]
  const end = (step: 1 | -1): number => {
    let found = nearest
    for (let row = nearest; row >= 0 && row < height && Math.abs(row - found) <= MOST_EMPTY_ROWS; row += step)
      if (isInk[row] === true) found = row
    return found
  }
  return [end(-1), end(1) + 1]
}
