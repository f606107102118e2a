/** Fewest insertions, deletions and replacements that turn one list of words into the other. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  return costs(said, heard)[said.length]![heard.length]!
}

/** Positions of equal words in both lists along a path of fewest errors, in order. */
export function alignedWords(said: readonly string[], heard: readonly string[]): [said: number, heard: number][] {
  const cost = costs(said, heard)
  const pairs: [number, number][] = []
  for (let i = said.length, j = heard.length; i > 0 && j > 0;) {
    const isSame = said[i - 1] === heard[j - 1]
    if (cost[i]![j] === cost[i - 1]![j - 1]! + (isSame ? 0 : 1)) {
      i -= 1
      j -= 1
      if (isSame) pairs.push([i, j])
    } else if (cost[i]![j] === cost[i - 1]![j]! + 1) i -= 1
    else j -= 1
  }
  return pairs.reverse()
}

/** Fewest errors between each beginning of one list and each of the other. */
function costs(said: readonly string[], heard: readonly string[]): number[][] {
  const cost = [Array.from({ length: heard.length + 1 }, (_, j) => j)]
  said.forEach((word, i) => {
    const row = cost[i]!
    const next = [i + 1]
    heard.forEach((other, j) => next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1)))
    cost.push(next)
  })
  return cost
}
