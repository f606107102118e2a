import type { ControlEvent, RunJob, SequencedEvent, StoredRunRequest } from '../../../contract/control/index.ts'
import type { DatasetSteps } from '../../../contract/control/run-job.ts'
import { LADDER_STEPS, type LadderStep, type RunEvent } from '../../../contract/evidence/run-event.ts'
import { INGESTION_PHASES } from '../../../contract/http/ingestion.ts'
import { withEvent } from '../../../main/engine/run-control/run-state.ts'
import { rowIdOf } from './cells.ts'
import { cellOf, type World } from './world.ts'

/** Numbered events with what is still kept, as the engine's hub has them. */
export class Feed {
  readonly kept: SequencedEvent[] = []
  readonly #waiting = new Set<() => void>()

  /** Newest number. */
  get seq(): number {
    return this.kept.at(-1)?.seq ?? 0
  }

  publish(event: ControlEvent): void {
    this.kept.push({ seq: this.seq + 1, at: new Date().toISOString(), event })
    for (const wake of [...this.#waiting]) wake()
  }

  async *follow(after: number, signal: AbortSignal | undefined): AsyncGenerator<SequencedEvent> {
    yield {
      seq: after,
      at: new Date().toISOString(),
      event: { type: 'stream.opened', engine_id: 'fake', newest: this.seq },
    }
    for (let next = after; signal?.aborted !== true;) {
      const fresh = this.kept.slice(next)
      next += fresh.length
      yield* fresh
      if (fresh.length > 0) continue
      await new Promise<void>((wake) => {
        const done = () => {
          this.#waiting.delete(done)
          wake()
        }
        this.#waiting.add(done)
        signal?.addEventListener('abort', done, { once: true })
      })
    }
  }
}

/** A run that tells what the ladder tells, one cell per `cellMs`. */
export class FakeRun {
  job: RunJob
  #gate: Promise<void> = Promise.resolve()
  #open: () => void = () => undefined
  readonly #feed: Feed
  readonly #world: World
  readonly #cellMs: number
  readonly #ended: (job: RunJob) => void
  #failStep: LadderStep | null

  constructor(
    world: World,
    feed: Feed,
    request: StoredRunRequest,
    runId: string,
    cellMs: number,
    ended: (job: RunJob) => void,
    failStep: LadderStep | null,
  ) {
    this.#failStep = failStep
    this.#world = world
    this.#feed = feed
    this.#cellMs = cellMs
    this.#ended = ended
    const now = new Date().toISOString()
    this.job = {
      ...{ run_id: runId, state: 'running', request, created_at: now, started_at: now, finished_at: null },
      ...{ progress: null, failures: [], cells: null, retry_of: null, resumable: false },
    }
  }

  /** What the run's journal would hold. */
  steps: DatasetSteps[] = []

  #publish(event: RunEvent): void {
    this.steps = withEvent(this.steps, event, new Date().toISOString())
    this.#feed.publish(event)
  }

  #change(part: Partial<RunJob>): void {
    this.job = { ...this.job, ...part }
    this.#feed.publish({ type: 'run.changed', job: this.job })
  }

  pause(): RunJob {
    this.#gate = new Promise((open) => (this.#open = open))
    this.#change({ state: 'paused', resumable: true })
    return this.job
  }

  resume(): RunJob {
    this.#change({ state: 'running', resumable: false })
    this.#open()
    return this.job
  }

  /** A run that ended goes up its ladder again. */
  again(): RunJob {
    this.#change({ state: 'running', resumable: false, failures: [], finished_at: null })
    void this.climb()
    return this.job
  }

  /** Fails once: the next time the step works. */
  #fail(dataset: string, step: LadderStep): false {
    this.#failStep = null
    const failure = { code: 'service_failed', message: 'the platform gave up after 5 starts: port 41200 is taken' }
    this.#publish({ type: 'step.failed', dataset_id: dataset, step, ...failure })
    this.#publish({ type: 'run.finished', run_id: this.job.run_id, outcome: 'failed', duration_ms: 900 })
    this.#change({
      ...{ state: 'failed', resumable: true, progress: null, finished_at: new Date().toISOString() },
      failures: [{ dataset_id: dataset, step, ...failure }],
    })
    this.#ended(this.job)
    return false
  }

  cancel(): RunJob {
    this.#change({ state: 'cancelled', resumable: true, finished_at: new Date().toISOString(), progress: null })
    this.#open()
    this.#ended(this.job)
    return this.job
  }

  async #tick(ms = this.#cellMs): Promise<boolean> {
    await new Promise((done) => setTimeout(done, ms))
    await this.#gate
    return this.job.state !== 'cancelled'
  }

  async climb(): Promise<void> {
    const { dataset_ids: datasets, models } = this.job.request
    const started = Date.now()
    this.#change({ state: 'running' })
    const cells = Object.fromEntries(
      datasets.map((id) => [id, this.#world.datasets.get(id)!.questions.length * models.length]),
    )
    const total = Object.values(cells).reduce((sum, each) => sum + each, 0)
    this.job = { ...this.job, cells: { total, done: 0, failed: 0 } }
    this.#publish({ type: 'run.started', run_id: this.job.run_id, dataset_ids: datasets, models, cells })
    for (const dataset of datasets) if (!(await this.#dataset(dataset))) return
    this.#publish({
      ...{ type: 'run.finished', run_id: this.job.run_id, outcome: 'completed' },
      duration_ms: Date.now() - started,
    })
    this.#change({ state: 'completed', finished_at: new Date().toISOString(), progress: null })
    this.#ended(this.job)
  }

  async #dataset(dataset: string): Promise<boolean> {
    for (const step of LADDER_STEPS) {
      if (['cold_reset', 'judge', 'publish'].includes(step)) {
        this.#publish({ type: 'step.skipped', dataset_id: dataset, step, reason: 'not asked for' })
        continue
      }
      const started = Date.now()
      this.#publish({ type: 'step.started', dataset_id: dataset, step })
      if (step === this.#failStep) return this.#fail(dataset, step)
      if (step === 'ingest' && !(await this.#ingest(dataset))) return false
      if (step === 'cells' && !(await this.#cells(dataset))) return false
      if (!(await this.#tick())) return false
      this.#publish({
        ...{
          type: 'step.finished',
          dataset_id: dataset,
          step,
          note: step === 'validate' ? '3 documents, 4 questions' : null,
        },
        duration_ms: Date.now() - started,
      })
    }
    this.#feed.publish({
      type: 'index.changed',
      change: {
        ...{ revision: 2, removed: [], damaged: [], truncated: false },
        runs: [{ run_id: this.job.run_id, dataset_id: dataset, rows_added: 1, replaced: false }],
      },
    })
    return true
  }

  async #ingest(dataset: string): Promise<boolean> {
    for (const phase of INGESTION_PHASES) {
      for (const status of ['running', 'completed'])
        this.#publish({
          ...{ type: 'ingestion.progressed', dataset_id: dataset, job_id: 'job-1', phase, status },
          counts: { documents: 3, chunks: 41 },
          ...(status === 'running' ? { progress: { done: 12, total: 41, per_second: 8.5, seconds_left: 3.4 } } : {}),
        })
      if (!(await this.#tick())) return false
    }
    return true
  }

  async #cells(dataset: string): Promise<boolean> {
    const { questions } = this.#world.datasets.get(dataset)!
    const { models } = this.job.request
    const total = questions.length * models.length
    this.#publish({
      type: 'plan.ready',
      plan: { dataset_id: dataset, total, reuse: 0, run: total, resume_answered: 0, conflicts: [], unavailable: [] },
    })
    let done = 0
    let failed = 0
    const started = Date.now()
    for (const { id: question } of questions)
      for (const model of models) {
        if (!(await this.#tick())) return false
        const cell = cellOf(this.#world, this.job.run_id, dataset, question, model, 'answer_relevancy')
        const at = {
          dataset_id: dataset,
          row_id: rowIdOf(this.job.run_id, dataset, question, model),
          question_id: question,
          model,
        }
        done += 1
        if (cell.status !== 'ok') failed += 1
        this.#publish({ type: 'cell.started', ...at })
        this.#publish({
          ...{ type: 'cell.finished', ...at, status: cell.status, reused: false, latency_ms: cell.latency },
          error_type: cell.status === 'ok' ? null : cell.status === 'timeout' ? 'timeout' : 'http_error',
          evaluation: cell.status === 'ok' ? 'ok' : 'not_run',
        })
        // Like the engine: counts change without an event of their own.
        const rate = (done / Math.max(1, Date.now() - started)) * 1000
        const left_ms = ((total - done) / rate) * 1000
        const cells = this.job.cells!
        this.job = {
          ...this.job,
          cells: { ...cells, done: cells.done + 1, failed: cells.failed + (cell.status === 'ok' ? 0 : 1) },
          progress: {
            dataset_id: dataset,
            step: 'cells',
            total,
            done,
            reused: 0,
            failed,
            cells_per_second: rate,
            left_ms,
            judge: null,
          },
        }
      }
    return true
  }
}
