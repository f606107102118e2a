import { EvidenceError, messageOf } from '../errors.ts'
import type { FileOps, LogFile } from './file-ops.ts'

// Files of lines: reading them in pieces, appending to them, and taking a torn end away.
//
// A line is durable once its newline is. Bytes after the last newline are what a dying writer left: never acknowledged.
// An append is all or nothing: what a failed write left is cut off again, and only when that fails too is the file in doubt (`log_failed`).

const CHUNK_BYTES = 1 << 20
const NEWLINE = 10

/** The file ended before the bytes that were promised: it was cut while being read. */
export class CutFileError extends Error {
  readonly offset: number
  constructor(offset: number) {
    super(`the file ends at byte ${offset}, before the bytes that were already read as its content`)
    this.name = 'CutFileError'
    this.offset = offset
  }
}

interface ByteRange {
  from: number
  to: number
}

export interface LineRange {
  offset: number
  /** Bytes of the line without its newline. */
  length: number
}

/**
 * Reads `range` in pieces and hands each line to `onLine` without its newline; the buffer is only valid during that call. The range
 * must start at a line. Memory does not grow with the file, only with its longest line. Bytes after the last newline are not handed
 * out. Throws `CutFileError`, what `onLine` throws, and the signal's reason.
 */
export async function scanLines(
  file: LogFile,
  range: ByteRange,
  onLine: (line: Buffer, offset: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, range.to - range.from)))
  let held = 0
  let position = range.from
  while (position < range.to) {
    signal?.throwIfAborted()
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const count = await file.read(buffer, held, Math.min(buffer.length - held, range.to - position), position)
    if (count === 0) throw new CutFileError(position)
    const filled = buffer.subarray(0, held + count)
    const base = position - held
    let start = 0
    for (let end = filled.indexOf(NEWLINE, held); end !== -1; end = filled.indexOf(NEWLINE, start)) {
      onLine(filled.subarray(start, end), base + start)
      start = end + 1
    }
    filled.copy(buffer, 0, start)
    held = filled.length - start
    position += count
  }
}

/** Offset just after the last newline before `to`; `from` when there is none. Reads backwards, so it is quick in any file. */
export async function lastLineEnd(file: LogFile, { from, to }: ByteRange): Promise<number> {
  const buffer = Buffer.allocUnsafe(1 << 16)
  let end = to
  while (end > from) {
    const start = Math.max(from, end - buffer.length)
    await readWhole(file, buffer.subarray(0, end - start), start)
    const newline = buffer.subarray(0, end - start).lastIndexOf(NEWLINE)
    if (newline !== -1) return start + newline + 1
    end = start
  }
  return from
}

/** Fills `into` from `position`. Throws `CutFileError` when the file is shorter. */
export async function readWhole(file: LogFile, into: Buffer, position: number): Promise<void> {
  let done = 0
  while (done < into.length) {
    const count = await file.read(into, done, into.length - done, position + done)
    if (count === 0) throw new CutFileError(position + done)
    done += count
  }
}

const COPY_BYTES = 1 << 20

/**
 * Appends all of `bytes`, or nothing. Call it under the log's lock. Throws `write_failed` when what was written of them could be
 * taken back to `goodEnd`, `log_failed` when it could not and a torn tail is left.
 */
export async function appendWhole(ops: FileOps, path: string, file: LogFile, bytes: Buffer, goodEnd: number) {
  try {
    for (let done = 0; done < bytes.length;) {
      const count = await file.write(bytes.subarray(done))
      if (count === 0) throw new Error('the system took 0 bytes')
      done += count
    }
  } catch (cause) {
    await undoAppend(ops, path, goodEnd, cause)
    throw new EvidenceError('write_failed', `cannot write to ${path}: ${messageOf(cause)}`, { file: path }, cause)
  }
}

/** Cuts the file to its last good end. Throws `log_failed`, with both causes, when that fails too. */
export async function undoAppend(ops: FileOps, path: string, goodEnd: number, cause: unknown): Promise<void> {
  try {
    await ops.truncate(path, goodEnd)
  } catch (second) {
    const message = `cannot write to ${path} (${messageOf(cause)}) nor take the half-written bytes back (${messageOf(second)})`
    throw new EvidenceError('log_failed', message, { file: path, offset: goodEnd }, new AggregateError([cause, second]))
  }
}

/**
 * Moves the bytes from `goodEnd` on to `<path>.torn-<time>`, durably, and cuts them off. Call it under the log's lock. Returns the
 * new file's name. A crash in between leaves the bytes in both files, never in none.
 */
export async function moveTail(ops: FileOps, path: string, file: LogFile, goodEnd: number): Promise<string> {
  const end = file.state().sizeBytes
  const { name, target } = await newTornFile(ops, path)
  try {
    for (let at = goodEnd; at < end;) {
      const piece = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - at))
      await readWhole(file, piece, at)
      await appendWhole(ops, name, target, piece, at - goodEnd)
      at += piece.length
    }
    await target.sync()
  } finally {
    await target.close()
  }
  await ops.syncFolderOf(name)
  await ops.truncate(path, goodEnd)
  return name
}

async function newTornFile(ops: FileOps, path: string): Promise<{ name: string; target: LogFile }> {
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  for (let count = 0; ; count += 1) {
    const name = `${path}.torn-${time}${count === 0 ? '' : `-${count}`}`
    if (ops.state(name) === null) return { name, target: await ops.openNew(name) }
  }
}
