// Reading files piece by piece: complete lines in blocks that are applied in one transaction each, with the event loop free in between.
import { openSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

/** Size of a block, approximately: the full text is merged once per transaction, so larger blocks are faster. */
export const BLOCK_BYTES = 8 << 20

const NEWLINE = 10

/** Consecutive complete lines of a file. */
export interface LineBlock {
  /** Ends with a newline. */
  bytes: Buffer
  offset: number
  /** True when it was read to the end of the range: what follows its lines there is an unfinished one. */
  isLast: boolean
}

/** Opens a file for reading; null when it was removed in the meantime, which the next scan of its folder notices. Throws the system's error. */
export function openIfExists(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Fills `into` from `position`, as far as the file goes. Returns the bytes read. Throws the system's error. */
export function readFully(fd: number, into: Buffer, position: number): number {
  let done = 0
  while (done < into.length) {
    const count = readSync(fd, into, done, into.length - done, position + done)
    if (count === 0) break
    done += count
  }
  return done
}

/** Lets everything else that waits on the event loop run first. Rejects with the signal's reason when it is aborted. */
export async function nextTurn(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}

/** Reads a file block by block into one buffer, which is reused and grows with the longest line. */
export class BlockReader {
  #buffer: Buffer | null = null

  /**
   * The complete lines between `from`, where a line must begin, and `to`: about `blockBytes` of them, more when one line is longer. Null
   * when there is no complete line. Valid until the next call.
   */
  read(fd: number, { from, to }: { from: number; to: number }, blockBytes = BLOCK_BYTES): LineBlock | null {
    for (let size = blockBytes; from < to; size *= 4) {
      const wanted = Math.min(size, to - from)
      const buffer = this.#bufferOf(wanted)
      const filled = buffer.subarray(0, readFully(fd, buffer.subarray(0, wanted), from))
      const end = filled.lastIndexOf(NEWLINE)
      if (end !== -1) return { bytes: filled.subarray(0, end + 1), offset: from, isLast: wanted === to - from }
      if (filled.length < wanted || wanted === to - from) return null
    }
    return null
  }

  #bufferOf(bytes: number): Buffer {
    if (this.#buffer === null || this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(bytes)
    return this.#buffer
  }
}

/** The lines of a block without their newlines; views into it. */
export function* linesOf({
  bytes,
  offset,
}: Pick<LineBlock, 'bytes' | 'offset'>): Generator<{ line: Buffer; offset: number }> {
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(NEWLINE, start)
    yield { line: bytes.subarray(start, end), offset: offset + start }
    start = end + 1
  }
}
