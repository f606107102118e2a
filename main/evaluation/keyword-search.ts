import Database from 'better-sqlite3'
import { joinedCodes, KEYWORD_TOKENIZER, keywordQuery } from '../../core/keyword-terms.ts'

export interface IndexedChunk {
  document: string
  text: string
}

/** The keyword index of the platform's store over some chunks, in memory. Close it. */
export class KeywordSearch {
  readonly #database = new Database(':memory:')
  readonly #chunks: IndexedChunk[] = []
  readonly #add: Database.Statement<[bigint, string, string]>
  readonly #find: Database.Statement<[string, number], { id: number; score: number }>

  constructor() {
    this.#database.exec(
      `CREATE VIRTUAL TABLE keywords USING fts5(text, codes, content='', tokenize="${KEYWORD_TOKENIZER}")`,
    )
    this.#add = this.#database.prepare('INSERT INTO keywords (rowid, text, codes) VALUES (?, ?, ?)')
    this.#find = this.#database.prepare(
      'SELECT rowid AS id, -rank AS score FROM keywords WHERE keywords MATCH ? ORDER BY rank LIMIT ?',
    )
  }

  add(chunks: readonly IndexedChunk[]): void {
    this.#database.transaction(() => {
      for (const chunk of chunks) {
        this.#chunks.push(chunk)
        this.#add.run(BigInt(this.#chunks.length), chunk.text, joinedCodes(chunk.text).join(' '))
      }
    })()
  }

  /** The chunks with the highest BM25, best first, equal ones in the order in which they were added. */
  best(question: string, limit: number): IndexedChunk[] {
    const query = keywordQuery(question)
    if (query === null) return []
    const hits = this.#find.all(query, limit)
    return hits
      .sort((left, right) => right.score - left.score || left.id - right.id)
      .map(({ id }) => this.#chunks[id - 1]!)
  }

  close(): void {
    this.#database.close()
  }
}
