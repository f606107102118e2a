import type { DocumentWarning, IngestionPhase, IngestionPhaseRecord } from '../../../contract/http/ingestion.ts'
import { freshProgress } from './job-record.ts'
import type { JobProgress } from './job-record.ts'

/** Result of a phase. skipped: it had nothing to do; the note gives the reason. */
export interface PhaseOutcome<Result> {
  result: Result
  status?: 'completed' | 'skipped'
  note?: string | null
  documentWarnings?: DocumentWarning[]
}

/** Sets a count of a running phase; it is stored with the job's record. With `total` it is how far the phase has come. */
export type Count = (name: string, value: number, total?: number) => void

/** Counts within a phase are stored at most this often; starts and ends always are. */
const SAVE_EVERY_MS = 200

/** Returns how far a phase has come, by its rate since it began. */
function progressOf(done: number, total: number, elapsedMs: number): NonNullable<IngestionPhaseRecord['progress']> {
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : null
  const left = Math.max(0, total - done)
  const secondsLeft = left === 0 ? 0 : perSecond === null || perSecond === 0 ? null : left / perSecond
  return { done, total, per_second: perSecond, seconds_left: secondsLeft }
}

/**
 * The phases of one run, stored as they go. `save` throws when the run must stop. A phase waits until its start and end are stored; its counts are
 * stored meanwhile, and one that could not be stored ends the phase at its next count.
 */
export class PhaseLog {
  readonly progress: JobProgress = freshProgress()
  readonly #now: () => number
  readonly #save: (progress: JobProgress) => Promise<void>
  #savedMs = -Infinity
  #isSaving = false
  #failure: Error | null = null

  constructor(now: () => number, save: (progress: JobProgress) => Promise<void>) {
    this.#now = now
    this.#save = save
  }

  /** Runs one phase between its start and end stamps; a failure leaves it open for `end`. */
  async run<Result>(name: IngestionPhase, work: (count: Count) => Promise<PhaseOutcome<Result>>): Promise<Result> {
    const phase = this.#phase(name)
    phase.status = 'running'
    phase.started_at = new Date(this.#now()).toISOString()
    await this.#store()
    const startedMs = this.#now()
    const outcome = await work((count, value, total) => {
      phase.counts[count] = value
      if (total !== undefined) phase.progress = progressOf(value, total, this.#now() - startedMs)
      if (this.#failure !== null) throw this.#failure
      if (!this.#isSaving && this.#now() - this.#savedMs >= SAVE_EVERY_MS) this.#storeMeanwhile()
    })
    this.#close(phase, outcome.status ?? 'completed')
    phase.note = outcome.note ?? null
    if (outcome.documentWarnings !== undefined) phase.document_warnings = outcome.documentWarnings
    await this.#store()
    return outcome.result
  }

  /** Adds what a person must know of a run that goes on. */
  async warn(message: string): Promise<void> {
    this.progress.warnings = [...(this.progress.warnings ?? []), message]
    await this.#store()
  }

  /** Closes the running phase, when there is one, and returns it; for runs that end early. */
  end(status: 'failed' | 'cancelled', error: string | null): IngestionPhaseRecord | null {
    const phase = this.progress.phases.find((candidate) => candidate.status === 'running')
    if (phase === undefined) return null
    this.#close(phase, status)
    phase.error = error
    return phase
  }

  #close(phase: IngestionPhaseRecord, status: IngestionPhaseRecord['status']): void {
    const ended = this.#now()
    phase.status = status
    phase.ended_at = new Date(ended).toISOString()
    phase.duration_ms = Math.max(0, ended - Date.parse(phase.started_at!))
  }

  #phase(name: IngestionPhase): IngestionPhaseRecord {
    return this.progress.phases.find((phase) => phase.name === name)!
  }

  async #store(): Promise<void> {
    this.#savedMs = this.#now()
    await this.#save(this.progress)
  }

  #storeMeanwhile(): void {
    this.#isSaving = true
    this.#store()
      .catch((error: unknown) => {
        this.#failure = error as Error
      })
      .finally(() => {
        this.#isSaving = false
      })
  }
}
