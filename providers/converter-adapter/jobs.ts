import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'

export type JobStatus = 'pending' | 'started' | 'success' | 'failure'

interface Job {
  status: JobStatus
  /** The result's file once it exists. */
  file: string | null
  /** Why it failed, in words for the one who sent the file. */
  reason: string | null
  /** Called once, when the job has ended. */
  ended: PromiseWithResolvers<null>
  expiry: NodeJS.Timeout | null
  slot: Slot
}

/** One of the places that jobs take from before their upload is read until their result is gone. */
export interface Slot {
  free(): void
}

/** Keeps what is known of the jobs: nothing outlives the process, and a result is read once. */
export class JobTable {
  readonly #jobs = new Map<string, Job>()
  readonly #ttlMs: number
  #free: number

  constructor(maxJobs: number, ttlMs: number) {
    this.#free = maxJobs
    this.#ttlMs = ttlMs
  }

  /** Null when all places are taken. */
  tryTake(): Slot | null {
    if (this.#free === 0) return null
    this.#free -= 1
    let held = true
    return {
      free: () => {
        if (held) this.#free += 1
        held = false
      },
    }
  }

  add(slot: Slot): string {
    const id = randomBytes(24).toString('base64url')
    this.#jobs.set(id, {
      status: 'pending',
      file: null,
      reason: null,
      ended: Promise.withResolvers<null>(),
      expiry: null,
      slot,
    })
    return id
  }

  started(id: string): void {
    this.#jobs.get(id)!.status = 'started'
  }

  /** The result may be read until it expires; its file is deleted then. */
  succeeded(id: string, file: string): void {
    const job = this.#jobs.get(id)!
    Object.assign(job, { status: 'success', file })
    job.ended.resolve(null)
    this.#expire(id, job)
  }

  /** A failed job frees its slot at once; its reason can be read for a while. */
  failed(id: string, reason: string): void {
    const job = this.#jobs.get(id)!
    Object.assign(job, { status: 'failure', reason })
    job.slot.free()
    job.ended.resolve(null)
    this.#expire(id, job)
  }

  /** Null for a job that is not known, or not any more. */
  state(id: string): { status: JobStatus; reason: string | null; file: string | null } | null {
    const job = this.#jobs.get(id)
    return job === undefined ? null : { status: job.status, reason: job.reason, file: job.file }
  }

  /** Resolves when the job has ended, at most after `waitMs`; at once where it is not known. */
  async ended(id: string, waitMs: number): Promise<void> {
    const job = this.#jobs.get(id)
    if (job === undefined || waitMs <= 0) return
    const time = Promise.withResolvers<null>()
    const timer = setTimeout(() => time.resolve(null), waitMs)
    await Promise.race([job.ended.promise, time.promise])
    clearTimeout(timer)
  }

  /** The result's file, for this reader alone, who deletes it and then frees the slot. */
  takeResult(id: string): { file: string; slot: Slot } | null {
    const job = this.#jobs.get(id)
    if (job === undefined || job.file === null) return null
    if (job.expiry !== null) clearTimeout(job.expiry)
    this.#jobs.delete(id)
    return { file: job.file, slot: job.slot }
  }

  close(): void {
    for (const { expiry, ended } of this.#jobs.values()) {
      if (expiry !== null) clearTimeout(expiry)
      ended.resolve(null)
    }
    this.#jobs.clear()
  }

  #expire(id: string, job: Job): void {
    job.expiry = setTimeout(() => {
      this.#jobs.delete(id)
      const gone = job.file === null ? Promise.resolve() : rm(job.file, { force: true })
      void gone.finally(() => job.slot.free())
    }, this.#ttlMs).unref()
  }
}
