import { fillBits, scaledBits, streamState } from './random.ts'

/** Columns that one pass over the clusters adds up; with two resamples at a time the eight sums stay in registers. */
const TILE = 4

/**
 * Bootstrap replicates of column sums. Each resample draws as many clusters as there are, with replacement, and adds up every column over
 * them, so all columns see the same draws. Result: for each column its sum in every resample.
 * Values depend on seed, number of clusters and resamples, and their own column only: not on which other columns are there.
 */
export function resampleSums(
  columns: readonly Float64Array[],
  clusters: number,
  resamples: number,
  seed: string,
): Float64Array[] {
  const state = streamState(seed)
  const tiles = interleaved(columns, clusters)
  const even = resamples + (resamples % 2)
  const sums = tiles.map((): Four => [
    new Float64Array(even),
    new Float64Array(even),
    new Float64Array(even),
    new Float64Array(even),
  ])
  const counts = new Float64Array(clusters * 2)
  const bits = new Uint32Array(clusters * 2)
  for (let resample = 0; resample < even; resample += 2) {
    counts.fill(0)
    fillBits(state, bits)
    for (let draw = 0; draw < bits.length; draw += 1) {
      // Draws alternate between the two resamples.
      const at = scaledBits(bits[draw]!, clusters) * 2 + (draw & 1)
      counts[at] = counts[at]! + 1
    }
    for (let tile = 0; tile < tiles.length; tile += 1) addTile(counts, tiles[tile]!, clusters, sums[tile]!, resample)
  }
  return sums
    .flat()
    .slice(0, columns.length)
    .map((sum) => sum.subarray(0, resamples))
}

type Four = readonly [Float64Array, Float64Array, Float64Array, Float64Array]

/** Four columns side by side, so that one cluster's values share a cache line; missing ones are zero. */
function interleaved(columns: readonly Float64Array[], clusters: number): Float64Array[] {
  return Array.from({ length: Math.ceil(columns.length / TILE) }, (_, tile) => {
    const values = new Float64Array(clusters * TILE)
    for (let lane = 0; lane < TILE; lane += 1) {
      const column = columns[tile * TILE + lane]
      if (column === undefined) break
      for (let cluster = 0; cluster < clusters; cluster += 1) values[cluster * TILE + lane] = column[cluster]!
    }
    return values
  })
}

// Unrolled by hand: this is the whole cost of the bootstrap, and a loop over lanes or a destructured array takes many times as long.
function addTile(counts: Float64Array, values: Float64Array, clusters: number, out: Four, at: number): void {
  let a0 = 0
  let a1 = 0
  let a2 = 0
  let a3 = 0
  let b0 = 0
  let b1 = 0
  let b2 = 0
  let b3 = 0
  for (let cluster = 0, c = 0, v = 0; cluster < clusters; cluster += 1, c += 2, v += TILE) {
    const a = counts[c]!
    const b = counts[c + 1]!
    const v0 = values[v]!
    const v1 = values[v + 1]!
    const v2 = values[v + 2]!
    const v3 = values[v + 3]!
    a0 += a * v0
    a1 += a * v1
    a2 += a * v2
    a3 += a * v3
    b0 += b * v0
    b1 += b * v1
    b2 += b * v2
    b3 += b * v3
  }
  out[0][at] = a0
  out[1][at] = a1
  out[2][at] = a2
  out[3][at] = a3
  out[0][at + 1] = b0
  out[1][at + 1] = b1
  out[2][at + 1] = b2
  out[3][at + 1] = b3
}
