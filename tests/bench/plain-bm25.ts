import { DatabaseSync } from 'node:sqlite'

/**
 * BM25 over whole documents (Robertson and Zaragoza 2009), the floor of the retrieval benchmark: k1 1.2, b 0.75, words in lower case without
 * stemming. It shares no code with the product, which it is compared with.
 */
const K1 = 1.2
const B = 0.75

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Document names, best first, of those that share a word with the question. */
export type Ranking = (question: string) => string[]

export function plainBm25(documents: ReadonlyMap<string, string>): Ranking {
  const counted = [...documents].map(([name, text]) => {
    const words = wordsOf(text)
    const counts = new Map<string, number>()
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    return { name, counts, length: words.length }
  })
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / counted.length
  const holding = new Map<string, number>()
  for (const { counts } of counted) for (const word of counts.keys()) holding.set(word, (holding.get(word) ?? 0) + 1)
  const weightOf = (word: string): number => {
    const df = holding.get(word) ?? 0
    return Math.log(1 + (counted.length - df + 0.5) / (df + 0.5))
  }
  return (question) => {
    const asked = [...new Set(wordsOf(question))].filter((word) => holding.has(word))
    return counted
      .map(({ name, counts, length }) => ({
        name,
        score: asked.reduce((sum, word) => {
          const count = counts.get(word) ?? 0
          const saturation = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meanLength))
          return sum + weightOf(word) * saturation
        }, 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .map(({ name }) => name)
  }
}

/** The same with English stems: FTS5 of SQLite with its Porter stemmer. */
export function stemmedBm25(documents: ReadonlyMap<string, string>): Ranking {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE document USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61')")
  const add = database.prepare('INSERT INTO document VALUES (?, ?)')
  for (const document of documents) add.run(...document)
  const find = database.prepare('SELECT name FROM document WHERE document MATCH ? ORDER BY bm25(document)')
  return (question) => {
    const asked = [...new Set(wordsOf(question))].map((word) => `"${word}"`).join(' OR ')
    return asked === '' ? [] : find.all(asked).map(({ name }) => String(name))
  }
}
