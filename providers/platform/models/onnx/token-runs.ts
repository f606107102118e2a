/** Groups texts, by their lengths in tokens, so that no run with all its padding has more than `limit`; a longer text runs alone. Gives their indexes. */
export function tokenRuns(lengths: readonly number[], limit: number): number[][] {
  const runs: number[][] = []
  for (const index of lengths.map((_, at) => at).toSorted((a, b) => lengths[a]! - lengths[b]!)) {
    const run = runs.at(-1)
    if (run !== undefined && (run.length + 1) * lengths[index]! <= limit) run.push(index)
    else runs.push([index])
  }
  return runs
}
