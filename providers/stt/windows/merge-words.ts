import type { TimedWord } from '../backends/recognizer.ts'

/** Words of one window, in seconds of the whole recording, with the window's own bounds. */
export interface WindowWords {
  start: number
  end: number
  words: readonly TimedWord[]
}

/** Two transcripts may place the same word this far apart. */
const SAME_WORD_SECONDS = 0.4
/** A word this close to a window's edge may be half a word. */
const EDGE_SECONDS = 0.12

/**
 * The words of overlapping windows as those of one recording. Where two windows overlap, both transcripts are aligned; the seam lies at the word
 * on which they agree nearest to the middle, so that no word is lost or repeated. Where they agree on nothing, it lies in time.
 */
export function mergeWords(windows: readonly WindowWords[]): TimedWord[] {
  return windows.reduce<TimedWord[]>((merged, window, index) => {
    const before = windows[index - 1]
    return before === undefined ? [...window.words] : joinAt(merged, window, before.end)
  }, [])
}

function joinAt(left: readonly TimedWord[], window: WindowWords, leftEnd: number): TimedWord[] {
  const isLast = (word: TimedWord) => word.end < leftEnd - EDGE_SECONDS
  const isFirst = (word: TimedWord) => word.start > window.start + EDGE_SECONDS
  // Cut words at the edges are recognized as something else; the other window has them whole.
  const earlier = left.filter((word) => isLast(word) || word.end <= window.start)
  const again = window.words.filter(isFirst)
  const middle = (window.start + leftEnd) / 2
  const from = earlier.findIndex((word) => word.end > window.start)
  const shared = from < 0 ? [] : earlier.slice(from)
  const pairs = align(shared, again)
  const distance = ([i]: readonly [number, number]) => Math.abs(centre(shared[i]!) - middle)
  const seam = pairs.reduce<readonly [number, number] | null>(
    (best, pair) => (best === null || distance(pair) < distance(best) ? pair : best),
    null,
  )
  if (seam !== null) return [...earlier.slice(0, from + seam[0] + 1), ...again.slice(seam[1] + 1)]
  return joinInTime(earlier, again, middle)
}

/** Pairs of positions at which both hearings have the same word at the same time: the longest common subsequence. */
function align(a: readonly TimedWord[], b: readonly TimedWord[]): (readonly [number, number])[] {
  const length = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      length[i]![j] = isSame(a[i]!, b[j]!)
        ? length[i + 1]![j + 1]! + 1
        : Math.max(length[i + 1]![j]!, length[i]![j + 1]!)
    }
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (isSame(a[i]!, b[j]!)) pairs.push([i++, j++])
    else if (length[i + 1]![j]! >= length[i]![j + 1]!) i += 1
    else j += 1
  }
  return pairs
}

function joinInTime(earlier: readonly TimedWord[], again: readonly TimedWord[], middle: number): TimedWord[] {
  const left = earlier.filter((word) => centre(word) < middle)
  const right = again.filter((word) => centre(word) >= middle)
  // A word across the middle may be on the other side of it in each transcript: then neither side kept it.
  const missed = earlier.find((word) => centre(word) >= middle && word.start < middle)
  const last = left.at(-1)
  const first = right[0]
  const isFree = (word: TimedWord) =>
    (last === undefined || word.start >= last.end - 0.02) && (first === undefined || word.end <= first.start + 0.02)
  if (missed !== undefined && isFree(missed)) return [...left, missed, ...right]
  const isDouble = last !== undefined && first !== undefined && isSame(last, first) && overlaps(last, first)
  return [...left, ...(isDouble ? right.slice(1) : right)]
}

function isSame(a: TimedWord, b: TimedWord): boolean {
  return Math.abs(centre(a) - centre(b)) < SAME_WORD_SECONDS && plain(a.text) === plain(b.text)
}

function overlaps(a: TimedWord, b: TimedWord): boolean {
  return Math.min(a.end, b.end) - Math.max(a.start, b.start) > 0.3 * Math.min(a.end - a.start, b.end - b.start)
}

function centre(word: TimedWord): number {
  return (word.start + word.end) / 2
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '')
}
