import { fillBits, streamState } from './random.ts'

/** A difference of two columns of cluster sums, or one column alone. */
interface Contrast {
  plus: number
  minus: number | null
}

/** Up to this many clusters with a difference, all sign patterns are tried: 2¹⁴, since opposite patterns mirror each other. */
const EXACT_UP_TO = 15

/** One random word holds the signs of this many clusters. */
const WORD = 32

/**
 * Two-sided p-values of "no difference": if two approaches are alike, swapping them within a cluster changes nothing, so each cluster's sum may
 * take either sign (Fisher 1935, The Design of Experiments, §21; for means without symmetry it holds as clusters grow in number:
 * Romano 1990, JASA 85; Canay, Romano and Shaikh 2017, Econometrica 85). Unlike a bootstrap of the null it keeps its level with few
 * clusters. All contrasts see the same flips. Monte Carlo values are (1 + hits) / (1 + flips), never 0 (Phipson and Smyth 2010).
 */
export function signFlipValues(
  columns: readonly Float64Array[],
  contrasts: readonly Contrast[],
  flips: number,
  seed: string,
): number[] {
  const differences = contrasts.map(({ plus, minus }) =>
    differenceOf(columns[plus]!, minus === null ? null : columns[minus]!),
  )
  const moving = differences.map((difference) => difference.filter((value) => value !== 0))
  const isExact = moving.map((values) => values.length <= EXACT_UP_TO)
  const used = new Set(contrasts.flatMap(({ plus, minus }) => (minus === null ? [plus] : [plus, minus])))
  const indexOf = new Map(Array.from(used, (column, index) => [column, index]))
  const flipped = isExact.every(Boolean)
    ? []
    : flippedSums(
        Array.from(used, (column) => columns[column]!),
        flips,
        seed,
      )
  return contrasts.map(({ plus, minus }, index) => {
    const values = moving[index]!
    const limit = extremeFrom(values)
    if (isExact[index]!) return exactValue(values, limit)
    const up = flipped[indexOf.get(plus)!]!
    const down = minus === null ? null : flipped[indexOf.get(minus)!]!
    let hits = 0
    for (let flip = 0; flip < flips; flip += 1)
      if (Math.abs(up[flip]! - (down === null ? 0 : down[flip]!)) >= limit) hits += 1
    return (1 + hits) / (1 + flips)
  })
}

/** Clusters in which the two sides differ: only their signs can be swapped to any effect. */
export const movingClusters = (columns: readonly Float64Array[], { plus, minus }: Contrast): number =>
  differenceOf(columns[plus]!, minus === null ? null : columns[minus]!).reduce(
    (count, value) => count + (value === 0 ? 0 : 1),
    0,
  )

const differenceOf = (plus: Float64Array, minus: Float64Array | null): Float64Array =>
  plus.map((value, cluster) => value - (minus === null ? 0 : minus[cluster]!))

/** Sums at least this far from 0 are as extreme as the one observed; the slack keeps equal sums equal whatever the order of addition. */
function extremeFrom(values: Float64Array): number {
  let sum = 0
  let size = 0
  for (const value of values) {
    sum += value
    size += Math.abs(value)
  }
  return Math.abs(sum) - 1e-11 * size
}

/** Share of all sign patterns that are as extreme; one sign stays, by symmetry. */
function exactValue(values: Float64Array, limit: number): number {
  const free = Math.max(0, values.length - 1)
  let sum = values.reduce((before, value) => before + value, 0)
  const signs = new Int8Array(free).fill(1)
  let hits = Math.abs(sum) >= limit ? 1 : 0
  for (let pattern = 1; pattern < 2 ** free; pattern += 1) {
    // Gray code: one sign changes at a time.
    const at = 31 - Math.clz32(pattern & -pattern)
    signs[at] = -signs[at]!
    sum += 2 * signs[at] * values[at]!
    if (Math.abs(sum) >= limit) hits += 1
  }
  return hits / 2 ** free
}

/**
 * Sum of every column under every flip. For each byte of a word all 2⁸ sign patterns are added up once, so that a flip costs four
 * additions for 32 clusters instead of 32.
 */
function flippedSums(columns: readonly Float64Array[], flips: number, seed: string): Float64Array[] {
  const state = streamState(seed)
  const clusters = columns[0]!.length
  const sums = columns.map(() => new Float64Array(flips))
  const words = new Uint32Array(flips)
  const table = new Float64Array(4 * 256)
  for (let from = 0; from < clusters; from += WORD) {
    fillBits(state, words)
    for (let column = 0; column < columns.length; column += 1) {
      for (let byte = 0; byte < 4; byte += 1) fillPatternSums(table, byte * 256, columns[column]!, from + byte * 8)
      addFlips(sums[column]!, words, table)
    }
  }
  return sums
}

function addFlips(sums: Float64Array, words: Uint32Array, table: Float64Array): void {
  for (let flip = 0; flip < sums.length; flip += 1) {
    const word = words[flip]!
    const low = table[word & 255]! + table[256 + ((word >>> 8) & 255)]!
    const high = table[512 + ((word >>> 16) & 255)]! + table[768 + (word >>> 24)]!
    sums[flip] = sums[flip]! + (low + high)
  }
}

/** Sum of eight clusters for each pattern of signs, bit set for plus; beyond the last cluster there is 0. */
function fillPatternSums(table: Float64Array, at: number, column: Float64Array, from: number): void {
  let none = 0
  for (let cluster = from; cluster < Math.min(from + 8, column.length); cluster += 1) none -= column[cluster]!
  table[at] = none
  for (let pattern = 1; pattern < 256; pattern += 1) {
    const cluster = from + (31 - Math.clz32(pattern & -pattern))
    const value = cluster < column.length ? column[cluster]! : 0
    table[at + pattern] = table[at + (pattern & (pattern - 1))]! + 2 * value
  }
}
