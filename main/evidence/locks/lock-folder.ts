import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileOps } from '../files/file-ops.ts'
import { OsLock } from '../../lib/files/os-lock.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'
import { pause } from '../pause.ts'

const OWNER = /^owner-[0-9a-f-]{36}$/

/** Waits between two looks at a lock: long enough to cost nothing, short enough to be quick after it is freed. */
const pauseMs = (): number => 1 + Math.random() * 3

/**
 * The locks of one log, in the folder `<file>.lock`: `main` is held while the log is written, `turn` while a process waits for `main`
 * (so that a busy writer cannot starve the others), and each open log holds its own `owner-…` as long as its process lives.
 */
export class LockFolder {
  readonly path: string
  readonly #ops: FileOps
  readonly #main: OsLock
  readonly #turn: OsLock
  readonly #mainIdentity: string | undefined
  readonly #inTurn = oneAfterAnother()
  #owner: { name: string; lock: OsLock } | null = null

  private constructor(path: string, ops: FileOps) {
    this.path = path
    this.#ops = ops
    this.#main = new OsLock(join(path, 'main'))
    this.#turn = new OsLock(join(path, 'turn'))
    this.#mainIdentity = ops.state(join(path, 'main'))?.identity
  }

  static pathFor(file: string): string {
    return `${file}.lock`
  }

  /** Creates what is missing. Throws the system's error. */
  static async open(file: string, ops: FileOps): Promise<LockFolder> {
    const path = LockFolder.pathFor(file)
    await ops.makeFolder(path)
    return new LockFolder(path, ops)
  }

  /**
   * Runs `work` while no other process, and no other call in this one, holds the log's lock. Throws the signal's reason when it is
   * aborted before the lock was got.
   */
  exclusive<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#acquire(signal)
      try {
        return await work()
      } finally {
        this.#main.unlock()
      }
    })
  }

  async #acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    while (!this.#turn.tryLock()) await pause(pauseMs(), signal)
    try {
      while (!this.#main.tryLock()) await pause(pauseMs(), signal)
    } finally {
      this.#turn.unlock()
    }
  }

  /** False when the lock's file was removed: it then no longer excludes other processes. */
  isIntact(): boolean {
    return this.#ops.state(join(this.path, 'main'))?.identity === this.#mainIdentity
  }

  /** Name of this open log among the owners of claims. */
  get owner(): string {
    if (this.#owner === null) throw new Error('register() comes first')
    return this.#owner.name
  }

  /** Makes this open log known as alive. Call it under the lock. */
  register(): void {
    const name = `owner-${randomUUID()}`
    const lock = new OsLock(join(this.path, name))
    if (!lock.tryLock()) throw new Error(`another process holds the new lock file ${name}`)
    this.#owner = { name, lock }
  }

  /** Names of the other open logs, whether their processes live or not. */
  others(): string[] {
    return readdirSync(this.path).filter((name) => OWNER.test(name) && name !== this.#owner?.name)
  }

  /** Asks the operating system: a dead process holds no lock, and no other process can hold it by chance. */
  isAlive(owner: string): boolean {
    const path = join(this.path, owner)
    if (this.#ops.state(path) === null) return false
    let lock: OsLock | null = null
    try {
      lock = new OsLock(path, { mustExist: true })
      return !lock.tryLock()
    } catch (error) {
      // Closed and removed between the two looks.
      if (this.#ops.state(path) === null) return false
      throw error
    } finally {
      lock?.close()
    }
  }

  /** Removes the traces of a dead owner. */
  async forget(owner: string): Promise<void> {
    await this.#ops.remove(join(this.path, owner))
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => undefined)
    if (this.#owner !== null) {
      this.#owner.lock.close()
      await this.forget(this.#owner.name)
    }
    this.#main.close()
    this.#turn.close()
  }
}
