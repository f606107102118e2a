import { createHash, type Hash } from 'node:crypto'
import type { Artifact } from './artifact-store.ts'
import type { FileState } from './folder-scan.ts'
import { readFully } from './line-blocks.ts'
import { nextTurn } from './next-turn.ts'
import { RowParser } from './row-parser.ts'

const PIECE_BYTES = 4 << 20
const TAIL_BYTES = 4096

/** SHA-256 of a file's first bytes, to be continued. Null when the file is shorter. Lets other work in between. */
export async function hashPrefix(fd: number, bytes: number, signal: AbortSignal): Promise<Hash | null> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafeSlow(Math.max(1, Math.min(PIECE_BYTES, bytes)))
  for (let at = 0; at < bytes;) {
    const wanted = piece.subarray(0, Math.min(piece.length, bytes - at))
    if (readFully(fd, wanted, at) < wanted.length) return null
    hash.update(wanted)
    at += wanted.length
    await nextTurn(signal)
  }
  return hash
}

/** The hash's value so far; it can be continued. */
export const digestOf = (hash: Hash): string => hash.copy().digest('hex')

/** What this process remembers of a file that it reads on and on. */
export class FollowedFile {
  readonly parser = new RowParser()
  #state: FileState | null = null
  #bytes = 0
  #hash: Hash | null = null
  #tail: Buffer = Buffer.alloc(0)

  /**
   * Whether the file still begins with the bytes that were applied; null when not, else their hash. The whole prefix is read, except
   * for a file that only grew while this process followed it: there the last bytes before the offset are enough, and `verify` does the rest.
   */
  async prefixHash(fd: number, artifact: Artifact, state: FileState, signal: AbortSignal): Promise<Hash | null> {
    const { appliedBytes } = artifact
    if (appliedBytes === 0) return createHash('sha256')
    if (state.sizeBytes < appliedBytes) return null
    const known = this.#state
    if (
      known !== null &&
      this.#bytes === appliedBytes &&
      known.identity === state.identity &&
      state.sizeBytes > known.sizeBytes
    ) {
      const tail = Buffer.alloc(this.#tail.length)
      readFully(fd, tail, appliedBytes - tail.length)
      if (tail.equals(this.#tail)) return this.#hash!.copy()
    }
    const hash = await hashPrefix(fd, appliedBytes, signal)
    return hash !== null && digestOf(hash) === artifact.sha256 ? hash : null
  }

  /** Remembers how far the file was applied. */
  remember(fd: number, appliedBytes: number, hash: Hash, state: FileState): void {
    this.#bytes = appliedBytes
    this.#hash = hash
    this.#state = state
    this.#tail = Buffer.alloc(Math.min(TAIL_BYTES, appliedBytes))
    readFully(fd, this.#tail, appliedBytes - this.#tail.length)
  }
}
