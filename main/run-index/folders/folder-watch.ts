import { watch, type FSWatcher } from 'node:fs'

/** Changes within this time are handled together. */
const QUIET_MS = 40
/** A sync takes at most this share of the time, however large the folders are. */
const MAX_SHARE = 0.2

/**
 * Calls `onDue` when something may have changed in the folders: soon after the system reports it, and every `pollMs` in case it does not. Never
 * during an earlier call; after a long call it pauses so that calls take at most `MAX_SHARE` of the time.
 */
export class FolderWatch {
  readonly #folders: readonly string[]
  readonly #pollMs: number
  readonly #onDue: () => Promise<void>
  readonly #watchers = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | null = null
  #dueAt = Infinity
  #notBefore = 0
  #isRunning = false
  #isClosed = false

  constructor(folders: readonly string[], pollMs: number, onDue: () => Promise<void>) {
    this.#folders = folders
    this.#pollMs = pollMs
    this.#onDue = onDue
    this.#schedule(0)
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return
    const at = Math.max(performance.now() + delayMs, this.#notBefore)
    if (at >= this.#dueAt) return
    this.#dueAt = at
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), Math.max(1, at - performance.now()))
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#isClosed) return
    this.#isRunning = true
    this.#dueAt = Infinity
    const startedAt = performance.now()
    this.#watchFolders()
    await this.#onDue()
    const endedAt = performance.now()
    this.#isRunning = false
    this.#notBefore = endedAt + (endedAt - startedAt) * (1 / MAX_SHARE - 1)
    // A change during the call has already scheduled the next one.
    const wanted = this.#dueAt
    this.#dueAt = Infinity
    this.#schedule(Math.min(this.#pollMs, Math.max(0, wanted - endedAt)))
  }

  /** Called before each sync: a missing folder may have been created since. */
  #watchFolders(): void {
    for (const folder of this.#folders) {
      if (this.#watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: true }, (event) => {
          this.#schedule(QUIET_MS)
          // A folder that is removed or replaced reports it once and never again.
          if (event === 'rename') this.#forget(folder)
        })
        watcher.on('error', () => this.#forget(folder))
        this.#watchers.set(folder, watcher)
      } catch {
        // Polling covers it.
      }
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}
