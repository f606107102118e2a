import type { SearchHit, StoredChunk } from '../../stores/vector-store/vector-store.ts'

/**
 * Joins a keyword leg and a leg of hashed words into one ranking where no reranker follows (decision 214).
 *
 * The built-in vectors hash the same words that keyword search reads, into D places: two texts with nothing in common have a cosine of zero on
 * average, with a variance of 1 / D by collisions alone. Most of a cosine is therefore what the keyword score says already, and the rest is largely
 * noise; at equal weight that noise moves passages whose keyword scores are close. So a cosine counts as far as it can be distinguished from noise:
 *
 *     keyword share   s = BM25 / the best BM25 of the question
 *     expected cosine e = a + b · s, the line of least squares through the passages that both legs found (b ≥ 0)
 *     trust           t = max(0, 1 − (1 / D) / v), v being the variance around that line
 *     fused score       = ½ · (e + t · (cosine − e)) + ½ · s
 *
 * e + t · (cosine − e) is the usual estimate of a value that was measured with known noise: where the cosines scatter no more than collisions
 * explain, t is zero and the keyword order stays; where they scatter more, they reorder.
 */
export function fuseHashed(
  dense: readonly SearchHit[],
  keyword: readonly SearchHit[],
  dimensions: number,
): { chunk: StoredChunk; score: number }[] {
  const cosines = new Map(dense.map((hit) => [keyOf(hit), hit.score]))
  const best = keyword[0]?.score ?? 1
  const shares = new Map(keyword.map((hit) => [keyOf(hit), hit.score / best]))
  const { expected, trust } = expectation(cosines, shares, 1 / dimensions)
  // A passage that the dense leg did not reach has at most the cosine of its last one.
  const last = dense.at(-1)?.score ?? 0
  const chunks = new Map([...keyword, ...dense].map((hit) => [keyOf(hit), hit.chunk]))
  return [...chunks]
    .map(([key, chunk]) => {
      const share = shares.get(key) ?? 0
      const line = expected(share)
      const cosine = cosines.get(key) ?? Math.min(last, line)
      return { chunk, cosine, score: (line + trust * (cosine - line) + share) / 2 }
    })
    .sort((left, right) => right.score - left.score || right.cosine - left.cosine)
    .map(({ chunk, score }) => ({ chunk, score }))
}

const keyOf = ({ chunk }: SearchHit): string => `${chunk.chunkIndex} ${chunk.document}`

/** Fewer passages than this do not show how cosines scatter around a line. */
const FEWEST = 3

interface Expectation {
  /** The cosine that a keyword share lets expect. */
  expected: (share: number) => number
  /** 0..1: how much of what differs from it is more than noise. */
  trust: number
}

function expectation(
  cosines: ReadonlyMap<string, number>,
  shares: ReadonlyMap<string, number>,
  noise: number,
): Expectation {
  const pairs = [...cosines].flatMap(([key, cosine]) => {
    const share = shares.get(key)
    return share === undefined ? [] : [[share, cosine] as const]
  })
  // Without a keyword leg to compare with, the cosines are all there is.
  if (shares.size === 0) return { expected: () => 0, trust: 1 }
  if (pairs.length < FEWEST) return { expected: () => 0, trust: 0 }
  const meanShare = mean(pairs.map(([share]) => share))
  const meanCosine = mean(pairs.map(([, cosine]) => cosine))
  const spread = mean(pairs.map(([share]) => (share - meanShare) ** 2))
  const joint = mean(pairs.map(([share, cosine]) => (share - meanShare) * (cosine - meanCosine)))
  const slope = spread === 0 ? 0 : Math.max(0, joint / spread)
  const expected = (share: number): number => meanCosine + slope * (share - meanShare)
  const squares = pairs.reduce((sum, [share, cosine]) => sum + (cosine - expected(share)) ** 2, 0)
  // Two of the values went into the line.
  const variance = squares / (pairs.length - 2)
  return { expected, trust: variance === 0 ? 0 : Math.max(0, 1 - noise / variance) }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
