import type { Hash } from 'node:crypto'
import type { LineRange } from '../files/line-file.ts'
import { SupersededRows } from './retried-rows.ts'
import type { RowHead } from './row-head.ts'
import { cellId } from './row-id.ts'
import { IDENTITY_PARTS } from './row-identity.ts'

/** Keeps where each row is, in file order, with the fingerprints of its question, approach and reproducibility. */
export class RowIndex {
  readonly #ordinals = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #offsets: number[] = []
  readonly #lengths: number[] = []
  /** Of each row as many as there are identity parts, one after the other: an array per row would cost more than what it holds. */
  readonly #parts: Buffer[] = []
  readonly #open = new Set<number>()
  readonly #superseded = new SupersededRows()
  /** Of cells that were tried again: the highest number, by the id of the cell's first row. */
  readonly #retries = new Map<string, number>()

  get count(): number {
    return this.#ids.length
  }

  /** Number of the row in file order; -1 when the file has no such row. */
  find(rowId: string): number {
    return this.#ordinals.get(rowId) ?? -1
  }

  /** False, without a change, when the row id is known already. */
  add({ rowId, key, isFinal, parts }: RowHead, { offset, length }: LineRange): boolean {
    if (this.#ordinals.has(rowId)) return false
    if (!isFinal) this.#open.add(this.count)
    this.#ordinals.set(rowId, this.count)
    this.#ids.push(rowId)
    this.#offsets.push(offset)
    this.#lengths.push(length)
    this.#parts.push(...parts)
    const { retry = 0 } = key
    if (retry === 0) return true
    this.#superseded.add(key)
    const cell = cellId(key)
    this.#retries.set(cell, Math.max(retry, this.retryOf(cell)))
    return true
  }

  /** Adds the ids and fingerprints of all rows to a hash. */
  addTo(hash: Hash): void {
    hash.update(this.#ids.join()).update(Buffer.concat(this.#parts))
  }

  /** Returns how often a cell was tried again, by the id of its first row. */
  retryOf(cell: string): number {
    return this.#retries.get(cell) ?? 0
  }

  isSuperseded(ordinal: number): boolean {
    return this.#superseded.has(this.rowIdOf(ordinal))
  }

  isFinal(ordinal: number): boolean {
    return !this.#open.has(ordinal)
  }

  /** Rows without an answer, or with a refused grading, that no later one replaces, in file order. */
  open(): number[] {
    return [...this.#open].filter((ordinal) => !this.isSuperseded(ordinal))
  }

  /** Id of a final row that this one would replace; null when there is none. */
  answerReplacedBy({ key }: RowHead): string | null {
    if ((key.retry ?? 0) === 0) return null
    const isStored = (rowId: string): boolean => {
      const ordinal = this.find(rowId)
      return ordinal !== -1 && this.isFinal(ordinal)
    }
    return new SupersededRows().add(key).find(isStored) ?? null
  }

  rowIdOf(ordinal: number): string {
    return this.#ids[ordinal]!
  }

  rangeOf(ordinal: number): LineRange {
    return { offset: this.#offsets[ordinal]!, length: this.#lengths[ordinal]! }
  }

  partOf(ordinal: number, part: number): Buffer {
    return this.#parts[ordinal * IDENTITY_PARTS.length + part]!
  }

  hasPart(ordinal: number, part: number, digest: Buffer): boolean {
    const stored = this.partOf(ordinal, part)
    return stored === digest || stored.equals(digest)
  }
}
