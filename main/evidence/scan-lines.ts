import { crc32 } from 'node:zlib'
import type { LogFile } from './file-ops.ts'

const CHUNK_BYTES = 1 << 20
const CRC_PIECE_BYTES = 4 << 20
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

export interface ByteRange {
  from: number
  to: number
}

/**
 * Reads `range` in pieces and hands each line to `onLine` without its newline; the buffer is only valid during that call. The range
 * must start at a line. Memory does not grow with the file, only with its longest line. Returns the CRC-32 of the range, continued
 * from `crc`. Bytes after the last newline are not handed out. Throws `CutFileError`, and what `onLine` throws.
 */
export async function scanLines(
  file: LogFile,
  range: ByteRange,
  onLine: (line: Buffer, offset: number) => void,
  { crc = 0, signal }: { crc?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, range.to - range.from)))
  let held = 0
  let position = range.from
  while (position < range.to) {
    signal?.throwIfAborted()
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const count = await file.read(buffer, held, Math.min(buffer.length - held, range.to - position), position)
    if (count === 0) throw new CutFileError(position)
    const filled = buffer.subarray(0, held + count)
    crc = crc32(filled.subarray(held), crc)
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
  return crc
}

/** CRC-32 of a range; while one piece is added up, the next is being read. Throws `CutFileError`. */
export async function crcOf(file: LogFile, { from, to }: ByteRange, signal?: AbortSignal): Promise<number> {
  const buffers = [Buffer.allocUnsafe(CRC_PIECE_BYTES), Buffer.allocUnsafe(CRC_PIECE_BYTES)] as const
  const pieceAt = async (at: number): Promise<Buffer> => {
    const piece = buffers[((at - from) / CRC_PIECE_BYTES) & 1]!.subarray(0, Math.min(CRC_PIECE_BYTES, to - at))
    await readWhole(file, piece, at)
    return piece
  }
  let crc = 0
  let next = pieceAt(from)
  for (let at = from; at < to;) {
    const piece = await next
    signal?.throwIfAborted()
    at += piece.length
    if (at < to) {
      next = pieceAt(at)
      // Awaited in the next turn of the loop, unless this turn throws first.
      next.catch(() => undefined)
    }
    crc = crc32(piece, crc)
  }
  return crc
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
