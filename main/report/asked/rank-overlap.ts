/**
 * Rank-biased overlap of two rankings without repeated entries, extrapolated: 0 for no common entry, 1 for equal rankings (Webber, Moffat and Zobel 2010,
 * ACM TOIS 28(4):20, eq. 32). `persistence` is between 0 and 1. An empty ranking has no entry in common with another; NaN where both are empty.
 */
export function rankBiasedOverlap(one: readonly string[], other: readonly string[], persistence: number): number {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length === 0) return Number.NaN
  if (short.length === 0) return 0
  const [seenShort, seenLong] = [new Set<string>(), new Set<string>()]
  let common = 0
  let commonAtShort = 0
  let sum = 0
  for (let depth = 1; depth <= long.length; depth += 1) {
    const entry = long[depth - 1]!
    const opposite = depth <= short.length ? short[depth - 1]! : null
    seenLong.add(entry)
    if (opposite !== null) seenShort.add(opposite)
    if (seenShort.has(entry)) common += 1
    if (opposite !== null && opposite !== entry && seenLong.has(opposite)) common += 1
    if (depth === short.length) commonAtShort = common
    // Below its end the shorter ranking is taken to go on with the agreement that it ended with.
    const beyond = depth > short.length ? (commonAtShort * (depth - short.length)) / short.length : 0
    sum += ((common + beyond) / depth) * persistence ** depth
  }
  const agreement = (common - commonAtShort) / long.length + commonAtShort / short.length
  return ((1 - persistence) / persistence) * sum + agreement * persistence ** long.length
}
