import type {
  FailureClass,
  RunFailure,
  RunJob,
  RunRequest,
  RunView,
  StoredRunRequest,
} from '../../../contract/control/run-job.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import {
  cellsOf,
  foldRun,
  isUnderWay,
  isUnderWayOrQueued,
  missingIn,
  runProgress,
} from '../../../core/evidence/run-fold.ts'
import { messageOf } from '../../../core/json.ts'
import { storedFilesOf, type ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { exists } from '../../lib/files/missing-file.ts'
import { cancelPausedCalls } from '../../lib/services/cancel-paused-calls.ts'
import { notifyPauses } from '../../lib/services/notify-pauses.ts'
import { pacesFolder } from '../../manifests/models/model-records.ts'
import { INGESTION_STOPPED } from '../../runner/ingestion/ingest.ts'
import { evaluateStoredRun } from '../../runner/finish/evaluate-stored-run.ts'
import { judgeStoredRun } from '../../runner/finish/judge-stored-run.ts'
import { codeOf } from '../../runner/ladder-step.ts'
import type { PlatformSource } from '../../runner/platform/platform-source.ts'
import {
  datasetRunsOf,
  filesOf,
  inResultsFolder,
  type Preparation,
  type PreparedRun,
} from '../../runner/prepare/prepare-run.ts'
import { runLadder, type LadderOutcome } from '../../runner/run-ladder.ts'
import { ControlFailure, inputFailure } from '../control-failure.ts'
import type { EventHub } from '../event-hub.ts'
import { takeOverRows } from './failed-cells.ts'
import type { JournalEntry, RunJournal } from './run-journal.ts'
import { isResumable, nextRunState, type RunCommand, type RunEnd } from './run-state.ts'

interface RunControlOptions {
  journal: RunJournal
  hub: EventHub
  artifacts: ArtifactPlace
  /** Checks a request against manifests and settings as they are now. Rejects with a `ManifestError`. */
  prepare: (request: RunRequest) => Promise<Preparation>
  /** Takes the platform for a run, and gives it back. */
  beginPlatform: (run: PreparedRun) => Promise<PlatformSource>
  endPlatform: () => void
  /** Why no run can start now; null where one can. Queued runs that were accepted before go on. */
  busy?: () => string | null
  report: (error: unknown) => void
  /** Limits how long cells in flight may take to finish when the engine ends. */
  graceMs?: number
}

/** A run whose failed cells another makes again. */
interface RetryOf {
  run_id: string
  classes: FailureClass[]
}

interface Live {
  entry: JournalEntry
  /** The run as its start checked it; null where it waits, since manifests may be edited meanwhile, and where it is resumed. */
  prepared: PreparedRun | null
  /** Set while it is under way. */
  going: Going | null
  /** True when the journal holds the entry; a queued run starts only then. */
  isDurable: boolean
}

interface Going {
  drain: AbortController
  abort: AbortController
  /** Reported by the steps themselves. */
  failures: RunFailure[]
  /** States when counts were last written to the journal; of the monotonic clock. */
  recordedAt: number
  done: Promise<void>
}

interface Ended {
  end: RunEnd
  failures: RunFailure[]
}

const GRACE_MS = 3000
/** Limits how old the counts in the journal may be when an engine dies. */
const RECORD_EVERY_MS = 2000
const MAX_LISTED = 200
const MAX_FAILURES = 50

const byNewest = (a: Live, b: Live): number => b.entry.order - a.entry.order

/**
 * Starts, stops and resumes runs, one at a time, each with a journal from which it can go on after the engine has died. What a run has made
 * is in its evidence; nothing here is needed to keep it.
 */
export class RunControl {
  readonly #options: RunControlOptions
  readonly #jobs = new Map<string, Live>()
  #active: Live | null = null
  #isClosing = false
  #lastOrder = 0

  private constructor(options: RunControlOptions) {
    this.#options = options
  }

  /** Reads the journals; runs that an engine before this one left under way become interrupted. */
  static async open(options: RunControlOptions): Promise<RunControl> {
    const control = new RunControl(options)
    const warn = (message: string) => void options.hub.publish({ type: 'notice', level: 'warning', message })
    for (const entry of await options.journal.load(warn)) {
      const state = nextRunState(entry.state, 'engine_gone')
      const kept = state === null ? entry : { ...entry, state }
      if (state !== null) await options.journal.save(kept)
      control.#jobs.set(entry.run_id, { entry: kept, prepared: null, going: null, isDurable: true })
      control.#lastOrder = Math.max(control.#lastOrder, entry.order)
    }
    return control
  }

  get active(): RunJob | null {
    return this.#active === null ? null : jobOf(this.#active)
  }

  get isIdle(): boolean {
    return this.#active === null && this.queued().length === 0
  }

  /** Next first. */
  queued(): RunJob[] {
    return this.#queue().map(jobOf)
  }

  /** Newest first. */
  jobs(): RunJob[] {
    return [...this.#jobs.values()].sort(byNewest).slice(0, MAX_LISTED).map(jobOf)
  }

  interrupted(): RunJob[] {
    return this.jobs().filter(({ state }) => state === 'interrupted')
  }

  stateOf(runId: string): RunJob['state'] | null {
    return this.#jobs.get(runId)?.entry.state ?? null
  }

  /** Cells that the run is to have; null for a run that this engine does not control, and before its first plan. */
  plannedCellsOf(runId: string): number | null {
    return this.#jobs.get(runId)?.entry.cells?.total ?? null
  }

  /** Steps and counts as last known. Throws `ControlFailure` for a run that this engine never had. */
  viewOf(runId: string): RunView {
    const live = this.#jobs.get(runId)
    if (live === undefined) throw new ControlFailure('not_found', `unknown run ${runId}`)
    return { run_id: runId, seq: this.#options.hub.newest, datasets: live.entry.datasets }
  }

  /** The request that a run was last started with; null for runs that this engine never had. */
  requestOf(runId: string): StoredRunRequest | null {
    return this.#jobs.get(runId)?.entry.request ?? null
  }

  /** Queues a run; what was prepared of it is used where it need not wait. Throws `ControlFailure` for one of that name that is under way or queued. */
  async queueRun(
    request: StoredRunRequest & { run_id: string },
    { retryOf = null, prepared = null }: { retryOf?: RetryOf | null; prepared?: PreparedRun | null } = {},
  ): Promise<void> {
    const { run_id: runId } = request
    const known = this.#jobs.get(runId)
    this.#refuseUnlessFree()
    if (known !== undefined && isUnderWayOrQueued(known.entry.state))
      throw new ControlFailure('run_active', `the run ${runId} is already ${known.entry.state}`)
    this.#lastOrder += 1
    const entry: JournalEntry = {
      schema_version: 1,
      run_id: runId,
      state: 'queued',
      request,
      created_at: new Date().toISOString(),
      started_at: null,
      finished_at: null,
      failures: [],
      retry_of: retryOf,
      cells: null,
      datasets: [],
      order: this.#lastOrder,
      cold_datasets: [],
    }
    const live: Live = { entry, prepared, going: null, isDurable: false }
    this.#jobs.set(runId, live)
    try {
      await this.#keep(live)
    } catch (error) {
      if (known === undefined) this.#jobs.delete(runId)
      else this.#jobs.set(runId, known)
      throw journalFailure(runId, error)
    }
    if (this.#active !== null) live.prepared = null
    this.#startNext()
  }

  async pause(runId: string): Promise<RunJob> {
    const live = await this.#command(runId, 'pause')
    live.going?.drain.abort()
    return jobOf(live)
  }

  async cancel(runId: string): Promise<RunJob> {
    const live = await this.#command(runId, 'cancel')
    live.going?.drain.abort()
    live.going?.abort.abort()
    return jobOf(live)
  }

  async resume(runId: string): Promise<RunJob> {
    this.#refuseUnlessFree()
    const live = await this.#command(runId, 'resume', { finished_at: null, failures: [] })
    live.prepared = null
    this.#startNext()
    return jobOf(live)
  }

  async dismiss(runId: string): Promise<RunJob> {
    return jobOf(await this.#command(runId, 'dismiss'))
  }

  /** The journal of a run; null for one that this engine never had. */
  entryOf(runId: string): JournalEntry | null {
    return this.#jobs.get(runId)?.entry ?? null
  }

  /** Takes a run that is not under way off the list. */
  async forget(runId: string): Promise<void> {
    const live = this.#jobs.get(runId)
    if (live === undefined) return
    if (isUnderWayOrQueued(live.entry.state))
      throw new ControlFailure('run_state', `${runId} is ${live.entry.state}: stop it first`, undefined, true)
    await this.#options.journal.remove(runId)
    this.#jobs.delete(runId)
  }

  /** Puts a journal that `entryOf` returned before its run was forgotten back on the list. Throws `ControlFailure` when there is a run of its name again. */
  async readopt(entry: JournalEntry): Promise<void> {
    if (this.#jobs.has(entry.run_id))
      throw new ControlFailure('run_active', `another run has the name ${entry.run_id} now: remove that one first`)
    const live: Live = { entry, prepared: null, going: null, isDurable: true }
    this.#jobs.set(entry.run_id, live)
    this.#lastOrder = Math.max(this.#lastOrder, entry.order)
    await this.#keep(live)
  }

  /** Lets cells in flight finish for a moment, then gives them up; the run is offered for resume by the next engine. */
  async close(): Promise<void> {
    this.#isClosing = true
    const going = this.#active?.going
    if (going === null || going === undefined) return
    going.drain.abort()
    const timer = setTimeout(() => going.abort.abort(), this.#options.graceMs ?? GRACE_MS)
    await going.done
    clearTimeout(timer)
  }

  #refuseUnlessFree(): void {
    const busy = this.#options.busy?.() ?? null
    if (busy !== null) throw new ControlFailure('run_active', busy, undefined, true)
    if (!this.#isClosing) return
    const message = 'The engine is stopping: start the run again when it is back.'
    throw new ControlFailure('stopping', message, undefined, true)
  }

  async #command(runId: string, command: RunCommand, changes: Partial<JournalEntry> = {}): Promise<Live> {
    const live = this.#jobs.get(runId)
    if (live === undefined) throw new ControlFailure('not_found', `unknown run ${runId}`)
    await this.#move(live, command, changes)
    return live
  }

  async #move(live: Live, command: RunCommand, changes: Partial<JournalEntry> = {}): Promise<void> {
    const { run_id: runId, state } = live.entry
    const next = nextRunState(state, command)
    if (next === null)
      throw new ControlFailure(
        'run_state',
        `${runId} is ${state}: it cannot be asked to ${command.replace('_', ' ')}`,
        {
          state,
        },
      )
    const before = live.entry
    live.entry = { ...before, ...changes, state: next }
    live.isDurable = false
    try {
      await this.#keep(live)
    } catch (error) {
      // An entry that the journal does not hold has not happened: a resumed run must not start later, when it is no longer expected.
      const undone = Object.fromEntries(Object.keys(changes).map((key) => [key, before[key as keyof JournalEntry]]))
      if (live.entry.state === next) live.entry = { ...live.entry, ...undone, state }
      live.isDurable = true
      throw journalFailure(runId, error)
    }
  }

  async #keep(live: Live): Promise<void> {
    await this.#options.journal.save(live.entry)
    live.isDurable = true
    this.#options.hub.publish({ type: 'run.changed', job: jobOf(live) })
  }

  #queue(): Live[] {
    return [...this.#jobs.values()]
      .filter(({ entry, isDurable }) => entry.state === 'queued' && isDurable)
      .sort((a, b) => byNewest(b, a))
  }

  #startNext(): void {
    const next = this.#queue()[0]
    if (this.#active !== null || this.#isClosing || next === undefined) return
    this.#active = next
    const going: Going = {
      drain: new AbortController(),
      abort: new AbortController(),
      failures: [],
      recordedAt: 0,
      done: Promise.resolve(),
    }
    next.going = going
    going.done = this.#runToEnd(next, going)
      .catch((error: unknown) => this.#lost(next, error))
      .finally(() => {
        next.going = null
        this.#active = null
        this.#startNext()
      })
  }

  /** The journal itself cannot be written: nothing more can be promised, but the panel must not show a run that is over. */
  #lost(live: Live, error: unknown): void {
    this.#options.report(error)
    const message = messageOf(error)
    const failure: RunFailure = { dataset_id: null, step: null, code: 'journal_not_written', message }
    live.entry = { ...live.entry, state: 'failed', failures: [failure] }
    this.#options.hub.publish({ type: 'run.changed', job: jobOf(live) })
  }

  /** One run from its place in the queue to its recorded end. */
  async #runToEnd(live: Live, going: Going): Promise<void> {
    // 1. Record that it is under way: from here on a crash leaves it interrupted, and so resumable.
    await this.#move(live, 'begin', { started_at: live.entry.started_at ?? new Date().toISOString() })
    // 2. Climb the ladder; whatever that throws decides the end.
    const started = performance.now()
    const { end, failures } = await this.#climbLadder(live, going).then(
      (outcome) => endOf(outcome, going),
      (error: unknown) => this.#endByError(live, going, error, performance.now() - started),
    )
    // 3. Record the end. The error of an aborted step is the cancellation itself.
    const isCancelled = live.entry.state === 'cancelling'
    await this.#move(live, end, {
      finished_at: new Date().toISOString(),
      failures: isCancelled ? [] : failures.slice(0, MAX_FAILURES),
    })
  }

  async #climbLadder(live: Live, going: Going): Promise<LadderOutcome> {
    const { entry } = live
    // 1. Take what the click prepared. A run that waited or is resumed is prepared again.
    const prepared = live.prepared ?? (await this.#prepare(entry.request))
    live.prepared = null
    // The files that variables name hold the run whose failed cells are made again.
    const run = entry.retry_of === null ? prepared : inResultsFolder(prepared)
    // 2. Take the platform for this run.
    const platform = await this.#options.beginPlatform(run)
    const emit = (event: RunEvent): void => this.#emit(live, going, event)
    const notify = (message: string): void => emit({ type: 'notice', level: 'warning', message })
    const stopLooking = cancelPausedCalls(going.drain.signal, going.abort, pacesFolder(run.root), notify)
    const stopNotifying = notifyPauses(pacesFolder(run.root), notify)
    try {
      // 3. Take over the rows of the run whose failed cells are made again.
      if (entry.retry_of !== null) await this.#takeOver(run, entry.retry_of, going.abort.signal)
      // 4. Run each dataset, one after another.
      const runs = datasetRunsOf(run, {
        platform,
        coldDatasets: entry.cold_datasets,
        emit,
        drain: going.drain.signal,
        abort: going.abort.signal,
      })
      const { judge_only: isJudging, evaluate_from: from } = run.request
      if (isJudging === true) return await judgeStoredRun(runs, emit)
      if (from === undefined) return await runLadder(runs, emit)
      const evidenceOf = (id: string): string => storedFilesOf(this.#options.artifacts, from, id).evidence
      return await evaluateStoredRun(runs, { runId: from, evidenceOf, all: false }, emit)
    } finally {
      // 5. Give the platform back.
      stopLooking()
      stopNotifying()
      this.#options.endPlatform()
    }
  }

  #endByError(live: Live, going: Going, error: unknown, duration_ms: number): Ended {
    const isStopped = going.abort.signal.aborted
    if (!isStopped) this.#options.report(error)
    const outcome = isStopped ? 'interrupted' : 'failed'
    this.#options.hub.publish({ type: 'run.finished', run_id: live.entry.run_id, outcome, duration_ms })
    const message = messageOf(error)
    const failure: RunFailure = { dataset_id: null, step: null, code: codeOf(error), message }
    return { end: isStopped ? 'stopped' : 'failed', failures: [...going.failures, failure] }
  }

  async #prepare(request: StoredRunRequest): Promise<PreparedRun> {
    const preparation = await this.#options.prepare(request)
    if (!preparation.ok) throw inputFailure(preparation.problems)
    return preparation.run
  }

  async #takeOver(run: PreparedRun, { run_id: source, classes }: RetryOf, signal: AbortSignal): Promise<void> {
    for (const { dataset } of run.datasets) {
      const files = storedFilesOf(this.#options.artifacts, source, dataset.id)
      if (!(await exists(files.evidence))) continue
      const target = filesOf(run, dataset.id).evidence
      const { runId, store } = run
      await takeOverRows({ source: files.evidence, target, runId, datasetId: dataset.id, store, classes, signal })
    }
  }

  #emit(live: Live, going: Going, event: RunEvent): void {
    this.#record(live, going, event)
    // A person who pauses or cancels in the middle of an ingestion stops it, which does not count as a failure.
    if (event.type === 'step.failed' && event.code !== INGESTION_STOPPED) {
      const { dataset_id, step, code, message } = event
      going.failures.push({ dataset_id, step, code, message: message.slice(0, 4000) })
    }
    if (event.type === 'step.finished' && event.step === 'cold_reset') this.#coldResetDone(live, event.dataset_id)
    this.#options.hub.publish(event)
  }

  /** Steps go to the journal at once, counts of cells now and then. A journal that cannot be written shows at the next change of state. */
  #record(live: Live, going: Going, event: RunEvent): void {
    const datasets = foldRun(live.entry.datasets, event, new Date().toISOString())
    if (datasets === live.entry.datasets) return
    live.entry = { ...live.entry, datasets, cells: cellsOf(datasets) }
    const now = performance.now()
    if (event.type === 'cell.finished' && now - going.recordedAt < RECORD_EVERY_MS) return
    going.recordedAt = now
    this.#options.journal.save(live.entry).catch(this.#options.report)
  }

  /** A resumed run must not delete what it has made since. */
  #coldResetDone(live: Live, datasetId: string): void {
    live.entry = { ...live.entry, cold_datasets: [...live.entry.cold_datasets, datasetId] }
    this.#options.journal.save(live.entry).catch((error: unknown) => {
      this.#options.report(error)
      // Without the note a crash would cost finished cells: better to stop here.
      live.going?.drain.abort()
    })
  }
}

const endOf = (outcome: LadderOutcome, { failures }: Going): Ended => ({
  end: outcome.outcome === 'interrupted' ? 'stopped' : outcome.outcome,
  failures: [...failures, ...leftOut(outcome)],
})

const journalFailure = (runId: string, error: unknown): ControlFailure =>
  new ControlFailure(
    'journal_not_written',
    `Cannot record the state of run ${runId}: ${messageOf(error)}. Nothing was started or changed; free disk space or make the project's .rag-ladder folder writable, then try again.`,
    undefined,
    true,
  )

/** Approaches that the run went on without: no step failed, so the failure belongs to none. */
function leftOut({ datasets }: LadderOutcome): RunFailure[] {
  return datasets.flatMap(({ datasetId, missing }) =>
    missing === null
      ? []
      : { dataset_id: datasetId, step: null, code: missing.code, message: missing.message.slice(0, 4000) },
  )
}

function jobOf(live: Live): RunJob {
  const { schema_version: _version, order: _order, cold_datasets: _cold, datasets, ...job } = live.entry
  const missing = missingIn(datasets)
  return {
    ...job,
    ...(missing.length === 0 ? {} : { missing }),
    progress: isUnderWay(job.state) ? runProgress(datasets) : null,
    resumable: isResumable(job.state),
  }
}
