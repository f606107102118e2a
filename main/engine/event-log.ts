import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventHub } from './event-hub.ts'

const KEPT_FILES = 20
const MAX_FILE_BYTES = 64 * 1024 * 1024
const NAME = /^events-.+\.jsonl$/

/** The stream of events as a file for people: one JSON line each. It is not evidence: nothing reads it, and a full disk only ends it. */
export class EventLog {
  readonly #folder: string
  readonly #report: (error: unknown) => void
  #stream: WriteStream | null = null
  #bytes = 0
  #unlisten: () => void = () => undefined

  private constructor(folder: string, report: (error: unknown) => void) {
    this.#folder = folder
    this.#report = report
  }

  /** Writes every event of the hub from now on to `<folder>/events-<time>.jsonl`; the oldest files are removed. */
  static async start(folder: string, hub: EventHub, report: (error: unknown) => void): Promise<EventLog> {
    const log = new EventLog(folder, report)
    await mkdir(folder, { recursive: true })
    const old = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
    await Promise.all(
      old.slice(0, Math.max(0, old.length - KEPT_FILES + 1)).map((name) => rm(join(folder, name), { force: true })),
    )
    log.#open()
    log.#unlisten = hub.listen((event) => log.#write(`${JSON.stringify(event)}\n`))
    return log
  }

  /** Resolves when what was written is with the system. */
  async close(): Promise<void> {
    this.#unlisten()
    const stream = this.#stream
    this.#stream = null
    if (stream === null) return
    await new Promise<void>((resolve) => stream.end(() => resolve()))
  }

  #open(): void {
    const name = `events-${new Date().toISOString().replaceAll(':', '-')}.jsonl`
    const stream = createWriteStream(join(this.#folder, name), { flags: 'a', mode: 0o600 })
    stream.on('error', (error) => {
      this.#report(error)
      if (this.#stream === stream) this.#stream = null
    })
    this.#stream = stream
    this.#bytes = 0
  }

  #write(line: string): void {
    if (this.#stream === null) return
    this.#bytes += Buffer.byteLength(line)
    this.#stream.write(line)
    if (this.#bytes < MAX_FILE_BYTES) return
    this.#stream.end()
    this.#open()
  }
}
