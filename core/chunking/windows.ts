import { BREAK } from './boundaries.ts'
import type { Boundaries } from './boundaries.ts'
import type { SlicedWork } from '../sliced-work.ts'

/** Half-open range of offsets in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

/** Describes what a chunk may hold, in whatever unit the strategy counts. */
export interface WindowRules {
  /** Furthest end of a chunk that starts here. */
  reach(start: number): number
  /** Earliest start from which a chunk can hold everything up to this offset. */
  startReaching(end: number): number
  /** Earliest start that the overlap allows for the chunk after one that ends here. */
  back(end: number): number
  /** An offset after this one that no chunk may cross, or Infinity. */
  wall(after: number): number
  /** Breaks worth ending at, the best first: at least this strong, and at least this share of the window filled. */
  preferences: readonly { strength: number; fill: number }[]
}

/**
 * Cuts a text into windows: each ends at the best break within its reach (in the middle of a run without any), and the next one
 * starts up to the overlap before that end, at a sentence or word. One pass; time grows with the sum of the windows.
 */
export function* cuttingWindows(text: string, boundaries: Boundaries, rules: WindowRules): SlicedWork<Span[]> {
  const spans: Span[] = []
  const { first, last } = boundaries
  let start = first
  let covered = first
  while (covered < last) {
    const furthest = Math.min(rules.reach(start), rules.wall(covered), last)
    const end = furthest === last ? last : chooseEnd(text, boundaries, rules, start, covered, furthest)
    spans.push({ start, end })
    yield
    covered = end
    if (end < last) start = chooseStart(text, boundaries, rules, start, end)
  }
  return spans
}

function chooseEnd(
  text: string,
  { ends }: Boundaries,
  rules: WindowRules,
  start: number,
  covered: number,
  furthest: number,
): number {
  if (furthest === rules.wall(covered)) return furthest
  // Last break of each strength in the window; offsets up to `covered` are in the chunk before.
  const lastOf = [0, 0, 0, 0, 0]
  for (let offset = furthest; offset > covered && lastOf[BREAK.paragraph] === 0; offset -= 1) {
    const strength = ends[offset]!
    if (strength > BREAK.none && lastOf[strength] === 0) lastOf[strength] = offset
  }
  for (const { strength, fill } of rules.preferences) {
    const offset = Math.max(...lastOf.slice(strength))
    if (offset > 0 && offset >= start + (furthest - start) * fill) return offset
  }
  if (!splitsPair(text, furthest)) return furthest
  return furthest - 1 > Math.max(start, covered) ? furthest - 1 : furthest + 1
}

function chooseStart(
  text: string,
  { starts, ends }: Boundaries,
  rules: WindowRules,
  former: number,
  end: number,
): number {
  let next = end
  while (/\s/u.test(text[next]!)) next += 1
  const needed = next + (splitsPair(text, next + 1) ? 2 : 1)
  const earliest = Math.max(rules.back(end), rules.startReaching(needed), former + 1)
  let word = -1
  for (let offset = earliest; offset < end; offset += 1) {
    const strength = starts[offset]!
    if (strength >= BREAK.sentence && end - offset >= (end - earliest) / 2) return offset
    if (strength >= BREAK.word && word < 0) word = offset
  }
  if (word >= 0) return word
  // Inside a run that was split there is no word to start at.
  const inRun = ends[end] === BREAK.none && earliest < end
  return inRun ? earliest + (splitsPair(text, earliest) ? 1 : 0) : next
}

const splitsPair = (text: string, offset: number): boolean =>
  isBetween(text.charCodeAt(offset - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(offset), 0xdc00, 0xdfff)

const isBetween = (unit: number, low: number, high: number): boolean => unit >= low && unit <= high
