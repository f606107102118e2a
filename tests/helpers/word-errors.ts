/** Fewest insertions, deletions and replacements that turn one list of words into the other. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, j) => j)
  said.forEach((word, i) => {
    const next = [i + 1]
    heard.forEach((other, j) => next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1)))
    row = next
  })
  return row.at(-1)!
}

/** Words in one spelling: without case, signs and the differences of British and American dictionaries' apostrophes. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/ '(s|t|re|ve|ll|d|m)\b/g, "'$1")
    .replace(/[^a-z' ]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
}
