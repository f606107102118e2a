// Files as they are read into the index: evidence, which grows and is followed from an offset, and files that are replaced as a whole.
import { createHash, hash, type Hash } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import type { Artifact, ArtifactChange } from '../apply/artifact-store.ts'
import { RowParser } from '../apply/cell-record.ts'
import { stateOfOpen, type FileState } from './folder-scan.ts'
import { nextTurn, openIfExists, readFully } from '../threads/line-blocks.ts'

const PIECE_BYTES = 4 << 20
const TAIL_BYTES = 4096

/** SHA-256 of the first `bytes` of a file, which can be updated further. Null when the file is shorter. Lets other work run in between. */
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

/** Keeps what this process remembers of an evidence file between two syncs. */
export class FollowedFile {
  readonly parser = new RowParser()
  #state: FileState | null = null
  #bytes = 0
  #hash: Hash | null = null
  #tail: Buffer = Buffer.alloc(0)

  /**
   * The hash of the applied bytes; null when the file does not begin with them any more. The whole prefix is read, except for a file that
   * only grew while this process followed it: there the last bytes before the offset are compared, and `verify` checks the rest.
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

  remember(fd: number, appliedBytes: number, hash: Hash, state: FileState): void {
    this.#bytes = appliedBytes
    this.#hash = hash
    this.#state = state
    this.#tail = Buffer.alloc(Math.min(TAIL_BYTES, appliedBytes))
    readFully(fd, this.#tail, appliedBytes - this.#tail.length)
  }
}

export interface WholeFile {
  text: string
  sha256: string
  state: FileState
}

/** Text and digest of an artifact that is replaced as a whole, with the file state they belong to; null when it was removed. */
export function readWholeFile({ path }: Pick<Artifact, 'path'>): WholeFile | null {
  const fd = openIfExists(path)
  if (fd === null) return null
  try {
    const state = stateOfOpen(fd)
    const bytes = readFileSync(fd)
    return { text: bytes.toString('utf8'), sha256: hash('sha256', bytes), state: { ...state, sizeBytes: bytes.length } }
  } finally {
    closeSync(fd)
  }
}

/** The entry of a file that was read as a whole; `problem` is the reason why it cannot be used. */
export const wholeFileChange = (
  { sha256, state }: WholeFile,
  status: Artifact['state'],
  problem: string | null,
): ArtifactChange => ({
  ...state,
  sha256,
  state: problem === null ? status : 'damaged',
  appliedBytes: state.sizeBytes,
  appliedLines: 0,
  damageOffset: null,
  damageLine: null,
  damageMessage: problem,
})
