import type { IngestionPhase, IngestionPhaseRecord } from '../../../contract/index.ts'
import type { JobProgress } from './job-record.ts'
import { freshProgress } from './job-record.ts'

/** How a phase went. skipped: there was nothing to do for it here; the note says why. */
export interface PhaseOutcome<Result> {
  result: Result
  status?: 'completed' | 'skipped'
  note?: string | null
}

/** Counts of a running phase; each change is on its way to the job's record. */
export type Count = (name: string, value: number) => void

/** Counts within a phase are stored at most this often; starts and ends always are. */
const SAVE_EVERY_MS = 200

/** The phases of one run, stored as they go. `save` throws when the run must stop. */
export class PhaseLog {
  readonly progress: JobProgress = freshProgress()
  readonly #now: () => number
  readonly #save: (progress: JobProgress) => void
  #savedMs = -Infinity

  constructor(now: () => number, save: (progress: JobProgress) => void) {
    this.#now = now
    this.#save = save
  }

  /** Runs one phase between its start and end stamps; a failure leaves it open for `end`. */
  async run<Result>(name: IngestionPhase, work: (count: Count) => Promise<PhaseOutcome<Result>>): Promise<Result> {
    const phase = this.#phase(name)
    phase.status = 'running'
    phase.started_at = new Date(this.#now()).toISOString()
    this.#store()
    const outcome = await work((count, value) => {
      phase.counts[count] = value
      if (this.#now() - this.#savedMs >= SAVE_EVERY_MS) this.#store()
    })
    this.#close(phase, outcome.status ?? 'completed')
    phase.note = outcome.note ?? null
    this.#store()
    return outcome.result
  }

  /** Closes the phase under way, when there is one, and returns it; for runs that end early. */
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

  #store(): void {
    this.#savedMs = this.#now()
    this.#save(this.progress)
  }
}
