import { SLICE_STEPS, type SlicedWork } from '../sliced-work.ts'

/** Defines how good a place between two pieces of text is to cut; a higher one is a stronger break. */
export const BREAK = { none: 0, word: 1, sentence: 2, line: 3, paragraph: 4 } as const

/** Every place where a text may be cut, as seen from the piece before it and from the piece after it. */
export interface Boundaries {
  /** Strength of the break that follows a piece ending at this offset. */
  ends: Uint8Array
  /** Strength of the break before a piece starting at this offset. */
  starts: Uint8Array
  /** Offsets of the first non-blank unit and after the last one; equal when the text is blank. */
  first: number
  last: number
}

const BLANK_RUN = /\s+/gu
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g
const CLOSERS = new Set(['"', "'", '”', '’', ')', ']', '»', '*', '_', '`'])
const SENTENCE_END = /[.!?…。！？؟।]/u
/** Sentence marks of scripts that write no space after them. */
const SPACELESS_END = /[。！？](?=\S)/gu
const ABBREVIATION =
  /(?:^|[\s(["'“‘])(?:\p{Lu}|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Nn]o|[Ff]ig|cf|vs|e\.g|i\.e|approx|ca)\.$/u
const LOOK_BACK = 12

/** Finds all breaks of a text in one pass, in slices. */
export function* findingBoundaries(text: string): SlicedWork<Boundaries> {
  let steps = 0
  const ends = new Uint8Array(text.length + 1)
  const starts = new Uint8Array(text.length + 1)
  for (const match of text.matchAll(SPACELESS_END)) {
    const at = match.index + 1
    ends[at] = BREAK.sentence
    starts[at] = BREAK.sentence
    if ((steps += 1) % SLICE_STEPS === 0) yield
  }
  for (const match of text.matchAll(BLANK_RUN)) {
    if ((steps += 1) % SLICE_STEPS === 0) yield
    const [from, to] = [match.index, match.index + match[0].length]
    if (from === 0 || to === text.length) continue
    const strength = strengthOf(text, match[0], from, to)
    ends[from] = strength
    starts[to] = strength
  }
  const first = text.length - text.trimStart().length
  const last = Math.max(first, text.trimEnd().length)
  ends[last] = BREAK.paragraph
  starts[first] = BREAK.paragraph
  return { ends, starts, first, last }
}

function strengthOf(text: string, blank: string, from: number, to: number): number {
  const lines = blank.match(LINE_BREAK)?.length ?? 0
  if (lines > 1) return BREAK.paragraph
  if (lines === 1) return BREAK.line
  return endsSentence(text, from, to) ? BREAK.sentence : BREAK.word
}

function endsSentence(text: string, from: number, to: number): boolean {
  let end = from
  while (end > 0 && CLOSERS.has(text[end - 1]!)) end -= 1
  const mark = text[end - 1] ?? ''
  if (!SENTENCE_END.test(mark)) return false
  if (mark !== '.') return true
  return !/^\p{Ll}/u.test(text.slice(to, to + 2)) && !ABBREVIATION.test(text.slice(Math.max(0, end - LOOK_BACK), end))
}
