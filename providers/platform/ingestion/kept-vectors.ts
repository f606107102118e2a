import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { removeKeptFile } from './kept-file.ts'

/** Vectors of texts in their order, all of one dimension. */
export type EmbedDocuments = (texts: string[], signal: AbortSignal) => Promise<Float32Array[]>

/**
 * The vectors that a run has made, in a file of their own until the collection has them. A run that follows a killed or failed one takes them
 * from there instead of embedding the same texts again. The file is a cache: when it cannot be used the run goes on without it.
 *
 * It is only appended to and never synced, so that no write waits for the disk: a killed process loses nothing, and what a power cut damages
 * does not match its checksum and is embedded again.
 */
export interface KeptVectors {
  /** Embeds texts; those whose vectors are kept are not embedded again. */
  embed: EmbedDocuments
  /** True where the file has the vector of a text. */
  has(text: string): boolean
  /** The vector of a text from the file; null where it has none. */
  stored(text: string): Float32Array | null
  /** Vectors that an earlier run had made. */
  readonly reused: number
  /** Why vectors are not kept; null while they are. */
  readonly problem: string | null
  close(): void
  /** Closes and deletes the file. */
  remove(): void
}

/** The file of one collection's vectors by one model. It is opened, or created, when the first text is embedded. */
export function openKeptVectors(file: string, model: string, embed: EmbedDocuments): KeptVectors {
  let problem: string | null = null
  let reused = 0
  let table: VectorFile | null = null
  let opening: Promise<void> | null = null
  let dimensions: number | null = null
  const failed = (doing: string, error: unknown): null => {
    if (!isSystemError(error)) throw error
    problem ??= `vectors cannot be ${doing}: ${file}: ${error.message}`
    return null
  }
  const keep = (entries: readonly [bigint, Float32Array][]): void => {
    try {
      if (problem === null) table?.put(entries)
    } catch (error) {
      failed('kept for a later run', error)
    }
  }
  const get = (key: bigint): Float32Array | null => {
    try {
      return table?.get(key) ?? null
    } catch (error) {
      return failed('read again', error)
    }
  }
  const keyOf = (text: string): bigint =>
    createHash('sha256').update(model).update('\0').update(text, 'utf8').digest().readBigInt64BE()

  return {
    async embed(texts, signal) {
      opening ??= openVectorFile(file).then(
        (opened) => void (table = opened),
        (error: unknown) => void failed('kept for a later run', error),
      )
      await opening
      const keys = texts.map(keyOf)
      const vectors = keys.map(get)
      const missing = texts.flatMap((_, at) => (vectors[at] === null ? [at] : []))
      reused += keys.filter((key, at) => vectors[at] !== null && table!.isOfEarlierRun(key)).length
      if (missing.length === 0) return vectors as Float32Array[]
      const made = await embed(
        missing.map((at) => texts[at]!),
        signal,
      )
      // The caller reports a wrong number and another size; nothing of such an answer is kept.
      if (made.length !== missing.length) return made
      dimensions ??= (vectors.find((vector) => vector !== null) ?? made[0]!).length
      if (made.every(({ length }) => length === dimensions)) keep(missing.map((at, index) => [keys[at]!, made[index]!]))
      for (const [index, at] of missing.entries()) vectors[at] = made[index]!
      return vectors as Float32Array[]
    },
    has: (text) => table?.has(keyOf(text)) ?? false,
    stored: (text) => get(keyOf(text)),
    get reused() {
      return reused
    },
    get problem() {
      return problem
    },
    close: () => table?.close(),
    remove() {
      table?.close()
      removeKeptFile(file)
    },
  }
}

interface VectorFile {
  has(key: bigint): boolean
  /** Null also for a record that was damaged since it was written. */
  get(key: bigint): Float32Array | null
  isOfEarlierRun(key: bigint): boolean
  put(entries: readonly [bigint, Float32Array][]): void
  close(): void
}

/** The file begins with this line; one that does not is of an earlier version and begins again. */
const FIRST_LINE = Buffer.from('rag-ladder kept vectors 1\n')
/** A record: checksum of what follows, length of the vector in bytes, key, vector. */
const RECORD = { length: 4, key: 8, vector: 16 } as const
/** Longer than any record. */
const BLOCK_BYTES = 1024 * 1024

async function openVectorFile(file: string): Promise<VectorFile> {
  const { offsets, end } = await readIndex(file)
  if (end === 0) {
    // An earlier version kept a log beside it.
    removeKeptFile(file)
    writeFileSync(file, FIRST_LINE)
  } else truncateSync(file, end)
  const startBytes = Math.max(end, FIRST_LINE.length)
  // Each write goes to the end: a run that has lost its lease cannot write over the records of the next one.
  let descriptor: number | null = openSync(file, 'a+')
  const opened = (): number => {
    if (descriptor === null) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' })
    return descriptor
  }
  const head = Buffer.alloc(RECORD.vector)
  return {
    has: (key) => offsets.has(key),
    get(key) {
      const offset = offsets.get(key)
      if (offset === undefined) return null
      if (readSync(opened(), head, 0, head.length, offset) < head.length) return null
      const bytes = new Uint8Array(Math.min(head.readUInt32LE(RECORD.length), BLOCK_BYTES))
      readSync(opened(), bytes, 0, bytes.length, offset + head.length)
      const isIntact =
        head.readBigInt64LE(RECORD.key) === key &&
        head.readUInt32LE(0) === crc32(bytes, crc32(head.subarray(RECORD.length)))
      return isIntact ? new Float32Array(bytes.buffer) : null
    },
    isOfEarlierRun: (key) => offsets.get(key)! < startBytes,
    put(entries) {
      const records = entries.map(([key, vector]) => recordOf(key, vector))
      const bytes = Buffer.concat(records)
      for (let written = 0; written < bytes.length;) written += writeSync(opened(), bytes, written)
      let offset = fstatSync(opened()).size - bytes.length
      for (const [at, [key]] of entries.entries()) {
        offsets.set(key, offset)
        offset += records[at]!.length
      }
    },
    close() {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

function recordOf(key: bigint, { buffer, byteOffset, byteLength }: Float32Array): Buffer {
  const record = Buffer.allocUnsafe(RECORD.vector + byteLength)
  record.writeUInt32LE(byteLength, RECORD.length)
  record.writeBigInt64LE(key, RECORD.key)
  record.set(new Uint8Array(buffer, byteOffset, byteLength), RECORD.vector)
  record.writeUInt32LE(crc32(record.subarray(RECORD.length)), 0)
  return record
}

/** Returns where each record begins, and where the intact ones end: 0 for a file that is missing or not of this version. */
async function readIndex(file: string): Promise<{ offsets: Map<bigint, number>; end: number }> {
  const offsets = new Map<bigint, number>()
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return { offsets, end: 0 }
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const { bytesRead } = await handle.read(block, 0, FIRST_LINE.length, 0)
    if (!block.subarray(0, bytesRead).equals(FIRST_LINE)) return { offsets, end: 0 }
    let end: number = FIRST_LINE.length
    for (;;) {
      const read = await handle.read(block, 0, block.length, end)
      const known = end
      for (const record of recordsIn(block.subarray(0, read.bytesRead))) {
        offsets.set(record.readBigInt64LE(RECORD.key), end)
        end += record.length
      }
      if (end === known) return { offsets, end }
    }
  } finally {
    await handle.close()
  }
}

/** The whole and intact records at the beginning of some bytes. */
function* recordsIn(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from + RECORD.vector <= bytes.length;) {
    const to = from + RECORD.vector + bytes.readUInt32LE(from + RECORD.length)
    if (to > bytes.length || crc32(bytes.subarray(from + RECORD.length, to)) !== bytes.readUInt32LE(from)) return
    yield bytes.subarray(from, to)
    from = to
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
