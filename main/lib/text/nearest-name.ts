/** Edits (insert, delete, replace a character) that make one text the other. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 0; row < a.length; row += 1) {
    const current = [row + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = above[column - 1]! + (a[row] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1))
    }
    above = current
  }
  return above[b.length]!
}

/** The name that a misspelt one most likely means: at most two edits away; null where none is. */
export function nearestName(text: string, names: readonly string[]): string | null {
  const near = names
    .map((name) => ({ name, edits: editDistance(text, name) }))
    .filter(({ edits }) => edits <= 2)
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.name ?? null
}
