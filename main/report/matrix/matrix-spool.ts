// Makes `-matrix.json` in memory that does not grow with the answers. Cells come in the order of the evidence and are written in that of the matrix:
// each waits as JSON in a temporary file, of which only its place is held.
import { randomBytes } from 'node:crypto'
import { readSync } from 'node:fs'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { writeAtomic, type WrittenFile } from '../../lib/files/write-atomic.ts'
import {
  createMatrixOrder,
  matrixCell,
  matrixEnd,
  matrixLine,
  matrixOpening,
  type MatrixFrame,
  type MatrixOf,
  type MatrixOrder,
} from './matrix-form.ts'

interface Place {
  offset: number
  sizeBytes: number
}

/** Bytes of cells that are written to the temporary file at once. */
const FLUSH_BYTES = 1 << 20

export class MatrixSpool {
  readonly #path: string
  readonly #temporary: string
  readonly #file: FileHandle
  readonly #order: MatrixOrder<Place>
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #sizeBytes = 0

  private constructor(path: string, temporary: string, file: FileHandle, frame: MatrixFrame) {
    this.#path = path
    this.#temporary = temporary
    this.#file = file
    this.#order = createMatrixOrder(frame)
  }

  /** `path`: the matrix; the temporary file is beside it. Rejects with the system's error. */
  static async open(path: string, frame: MatrixFrame): Promise<MatrixSpool> {
    await mkdir(dirname(path), { recursive: true })
    const name = `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.cells.tmp`
    const temporary = join(dirname(path), name)
    return new MatrixSpool(path, temporary, await open(temporary, 'wx+', 0o600), frame)
  }

  /** Throws `ReportError` for a row of another run or ingestion. */
  async add(row: CanonicalRow): Promise<void> {
    this.#order.add(row, () => {
      const bytes = Buffer.from(JSON.stringify(matrixCell(row)))
      const place = { offset: this.#sizeBytes, sizeBytes: bytes.length }
      this.#waiting.push(bytes)
      this.#waitingBytes += bytes.length
      this.#sizeBytes += bytes.length
      return place
    })
    if (this.#waitingBytes >= FLUSH_BYTES) await this.#flush()
  }

  /** Writes the matrix whole or not at all. */
  async write(order: Pick<MatrixFrame, 'models' | 'questionIds'>): Promise<WrittenFile> {
    return writeAtomic(this.#path, this.text(order))
  }

  /** The bytes of the matrix. Those of each call are the same. */
  async *text(order: Pick<MatrixFrame, 'models' | 'questionIds'>): AsyncGenerator<Buffer> {
    await this.#flush()
    yield* this.#text(this.#order.finish(order))
  }

  /** Removes the temporary file. */
  async close(): Promise<void> {
    await this.#file.close()
    await rm(this.#temporary, { force: true })
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#file.appendFile(bytes)
  }

  async *#text({ cells, ...matrix }: MatrixOf<Place>): AsyncGenerator<Buffer> {
    yield Buffer.from([...matrixOpening(matrix)].join(''))
    let parts: Buffer[] = []
    let bytes = 0
    for (const [index, place] of cells.entries()) {
      parts.push(Buffer.from(matrixLine(index, '')), this.#read(place))
      bytes += place.sizeBytes
      if (bytes < FLUSH_BYTES) continue
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
    }
    yield Buffer.concat([...parts, Buffer.from(matrixEnd(cells.length))])
  }

  /** Just written, so the system has it in memory: a call that waits for a thread would take ten times as long. */
  #read({ offset, sizeBytes }: Place): Buffer {
    const buffer = Buffer.allocUnsafe(sizeBytes)
    if (readSync(this.#file.fd, buffer, 0, sizeBytes, offset) !== sizeBytes)
      throw new Error(`${this.#temporary} ends before the cell at ${offset}`)
    return buffer
  }
}
