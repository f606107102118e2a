/** Fewest insertions, deletions and replacements that turn one list of words into the other. */
export function wordErrors(reference: readonly string[], recognized: readonly string[]): number {
  return costs(reference, recognized)[reference.length]![recognized.length]!
}

/** Positions of equal words in both lists along a path of fewest errors, in order. */
export function alignedWords(
  reference: readonly string[],
  recognized: readonly string[],
): [reference: number, recognized: number][] {
  const cost = costs(reference, recognized)
  const pairs: [number, number][] = []
  for (let i = reference.length, j = recognized.length; i > 0 && j > 0;) {
    const isSame = reference[i - 1] === recognized[j - 1]
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
function costs(reference: readonly string[], recognized: readonly string[]): number[][] {
  const cost = [Array.from({ length: recognized.length + 1 }, (_, j) => j)]
  reference.forEach((word, i) => {
    const row = cost[i]!
    const next = [i + 1]
    recognized.forEach((other, j) =>
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1)),
    )
    cost.push(next)
  })
  return cost
}
