import { watch, type FSWatcher } from 'node:fs'

/** Changes that come this close together are one. */
const QUIET_MS = 40
/** A sync takes at most this share of the time, however large the folders are. */
const MAX_SHARE = 0.2

/**
 * Calls `onDue` when something may have changed in the folders: soon after the system says so, and every `pollMs` in case it does not. Never
 * while an earlier call is under way, and not more often than the calls can bear.
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
    // What changed during the call has already asked for the next one.
    const wanted = this.#dueAt
    this.#dueAt = Infinity
    this.#schedule(Math.min(this.#pollMs, Math.max(0, wanted - endedAt)))
  }

  /** A folder that is missing now may come; one that was removed may come again. */
  #watchFolders(): void {
    for (const folder of this.#folders) {
      if (this.#watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: true }, (event) => {
          this.#schedule(QUIET_MS)
          // A folder that is removed or replaced says so once and is silent afterwards.
          if (event === 'rename') this.#forget(folder)
        })
        watcher.on('error', () => this.#forget(folder))
        this.#watchers.set(folder, watcher)
      } catch {
        // The polls look after it.
      }
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}
