import { createNumbers } from '../../stores/columns/numbers.ts'
import { createTextTable, type TextTable } from '../../stores/columns/text-table.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'

/** The chunks of a collection by position. */
export interface Chunks extends Iterable<StoredChunk> {
  readonly length: number
  at(position: number): StoredChunk | undefined
}

/** Lists what a chunk has: three numbers and four texts. */
const COLUMNS = ['chunkIndex', 'startChar', 'endChar'] as const
const TEXTS = ['document', 'title', 'content', 'indexText'] as const
const FIELDS = COLUMNS.length + TEXTS.length

/** Keeps chunks outside the heap of JavaScript: a question reads a few of tens of thousands. */
export async function keepChunks(chunks: Iterable<StoredChunk>): Promise<Chunks> {
  const texts = createTextTable()
  const fields = createNumbers()
  const pause = createPauses()
  for (const chunk of chunks) {
    for (const column of COLUMNS) fields.push(chunk[column])
    for (const text of TEXTS) fields.push(texts.add(chunk[text]))
    await pause()
  }
  return new KeptChunks(texts, fields.done())
}

class KeptChunks implements Chunks {
  readonly #texts: TextTable
  readonly #fields: Int32Array

  constructor(texts: TextTable, fields: Int32Array) {
    this.#texts = texts
    this.#fields = fields
  }

  get length(): number {
    return this.#fields.length / FIELDS
  }

  at(position: number): StoredChunk | undefined {
    if (!(position >= 0 && position < this.length)) return undefined
    const fields = this.#fields.subarray(position * FIELDS, (position + 1) * FIELDS)
    const text = (field: (typeof TEXTS)[number]): number => fields[COLUMNS.length + TEXTS.indexOf(field)]!
    const content = this.#texts.text(text('content'))
    return {
      document: this.#texts.text(text('document')),
      title: this.#texts.text(text('title')),
      chunkIndex: fields[0]!,
      startChar: fields[1]!,
      endChar: fields[2]!,
      content,
      indexText: text('indexText') === text('content') ? content : this.#texts.text(text('indexText')),
    }
  }

  *[Symbol.iterator](): Generator<StoredChunk> {
    for (let position = 0; position < this.length; position += 1) yield this.at(position)!
  }
}
