/** Gold evidence of a question: a passage of a document, or a document as a whole. */
export interface GoldPassage {
  document: string
  fact?: string | undefined
}

/** Two facts with so many words in a row in common overlap. */
const COMMON_RUN = 5

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const runsOf = (words: readonly string[], length: number): string[] =>
  Array.from({ length: words.length - length + 1 }, (_, at) => words.slice(at, at + length).join(' '))

/**
 * Names of the passages that each question rests on. Facts of one document are one passage when they share five words in a row, or one holds all words
 * of a shorter one; a document without a fact overlaps everything in it.
 */
export function passagesOf(questions: readonly (readonly GoldPassage[])[]): string[][] {
  const names = questions.map((): string[] => [])
  const held = questions.flatMap((gold, question) => gold.map((passage) => ({ ...passage, question })))
  for (const [document, facts] of Map.groupBy(held, (passage) => passage.document)) {
    const isWhole = facts.some(({ fact }) => fact === undefined)
    const words = facts.map(({ fact }) => wordsOf(fact ?? ''))
    const lengths = new Set(words.map(({ length }) => Math.min(COMMON_RUN, length)))
    const groups = facts.map((_, index) => (isWhole ? 0 : index))
    const groupOf = (index: number): number => (groups[index] === index ? index : groupOf(groups[index]!))
    for (const length of lengths) {
      const first = new Map<string, number>()
      // Runs that are shorter than five words join only the fact that is so short to those that hold it.
      const short = new Set(
        length < COMMON_RUN ? words.filter((each) => each.length === length).map((each) => each.join(' ')) : [],
      )
      for (const [index, each] of words.entries())
        for (const run of each.length < length ? [] : runsOf(each, length)) {
          if (length < COMMON_RUN && !short.has(run)) continue
          const before = first.get(run)
          if (before === undefined) first.set(run, index)
          else groups[groupOf(index)] = groupOf(before)
        }
    }
    for (const [index, { question }] of facts.entries()) names[question]!.push(`${document} ${groupOf(index)}`)
  }
  return names
}
