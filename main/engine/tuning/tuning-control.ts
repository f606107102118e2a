import type { RunRequest } from '../../../contract/control/run-job.ts'
import type { TuneInput, TunePlan, TuningHead } from '../../../contract/control/tuning.ts'
import { messageOf } from '../../../core/json.ts'
import { checkCorpus } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/datasets/gold-problems.ts'
import { ManifestError } from '../../manifests/manifest-error.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { answersElsewhere } from '../../manifests/selection.ts'
import { writeTuningReport } from '../../report/tuning/tuning-report.ts'
import type { PlatformSource } from '../../runner/platform/platform-source.ts'
import type { DatasetRun } from '../../runner/dataset-run.ts'
import { datasetRunsOf, type Preparation, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { planTuning, type PlannedTuning } from '../../runner/tuning/plan-tuning.ts'
import { planWords, trialWords } from '../../runner/tuning/plan-words.ts'
import { runTuning } from '../../runner/tuning/run-tuning.ts'
import { tuningFolder } from '../../runner/tuning/tuning-journal.ts'
import { tuningWish } from '../../runner/tuning/tuning-wish.ts'
import { ControlFailure, problemOf } from '../control-failure.ts'
import { headsIn, keepRequest, readRequest } from './stored-tunings.ts'

interface TuningControlOptions {
  resultsDir: string
  /** Checks a request against manifests and settings as they are now. Rejects with a `ManifestError`. */
  prepare: (request: RunRequest) => Promise<Preparation>
  /** Why no tuning can start now; null where one can. */
  busy: () => string | null
  beginPlatform: (run: PreparedRun) => Promise<PlatformSource>
  endPlatform: () => void
  report: (error: unknown) => void
}

interface Active {
  /** Empty until it is planned. */
  name: string
  stop: AbortController
  lines: string[]
  /** Finished trials. */
  trials: number
  done: Promise<void>
}

/** Lines of progress that are kept. */
const MOST_LINES = 200
const GRACE_MS = 3000

/** The platform of a plan, which asks it nothing. */
const UNASKED: PlatformSource = {
  kind: 'embedded',
  gateway: 'embedded',
  basePort: null,
  modelSet: null,
  start: () => Promise.reject(new Error('a plan starts no platform')),
  stateDir: () => null,
}

/** Plans and runs tunings, one at a time and never beside a run: both need the platform. What a tuning has done is in its journal, so that nothing here must be kept. */
export class TuningControl {
  readonly #options: TuningControlOptions
  readonly #failures = new Map<string, string>()
  #active: Active | null = null

  constructor(options: TuningControlOptions) {
    this.#options = options
  }

  /** Why no run can start now; null where one can. */
  get busy(): string | null {
    return this.#active === null
      ? null
      : `the tuning ${this.#active.name} is under way: wait for its end, or stop it on its page`
  }

  /** Calls nothing and writes nothing. */
  async plan(input: TuneInput): Promise<TunePlan> {
    try {
      const { planned, setup } = await this.#planned(input)
      const { name, draft, asked } = planned
      return {
        ok: true,
        name,
        lines: await planWords(planned, setup),
        settings: draft.settings.length - 1,
        asked,
        is_started: (await readRequest(this.#options.resultsDir, name)) !== null,
      }
    } catch (error) {
      if (error instanceof InputError || error instanceof ManifestError)
        return { ok: false, problems: error.problems.map(problemOf) }
      throw error
    }
  }

  /** Starts a tuning, or goes on with it; resolves as soon as it is under way. Throws `ControlFailure` while something else is, and `InputError`. */
  async start(input: TuneInput, expected: string | null = null): Promise<{ name: string }> {
    const busy = this.busy ?? this.#options.busy()
    if (busy !== null) throw new ControlFailure('run_active', busy, undefined, true)
    const active: Active = {
      name: '',
      stop: new AbortController(),
      lines: [],
      trials: 0,
      done: Promise.resolve(),
    }
    this.#active = active
    try {
      const { planned, setup } = await this.#planned(input)
      if (expected !== null && planned.name !== expected)
        throw new ControlFailure(
          'run_conflict',
          `Questions or parameters have changed since ${expected} was started, so its trials cannot be used. Start a new tuning.`,
        )
      active.name = planned.name
      await keepRequest(this.#options.resultsDir, input, planned)
      this.#failures.delete(planned.name)
      active.done = this.#runToEnd(active, planned, setup, input.confirm)
      return { name: planned.name }
    } catch (error) {
      this.#active = null
      throw error
    }
  }

  /** Goes on with a tuning by the request that it was started with. Throws `ControlFailure` where there is none. */
  async resume(name: string): Promise<{ name: string }> {
    const request = await readRequest(this.#options.resultsDir, name)
    if (request === null)
      throw new ControlFailure(
        'not_found',
        `${name} was not started in the panel: repeat its command, which goes on with its trials`,
      )
    return this.start(request, name)
  }

  /** Ends the tuning under way; its finished trials stay. */
  stop(name: string): void {
    if (this.#active?.name !== name)
      throw new ControlFailure('run_state', `the tuning ${name} is not under way in this panel`)
    this.#active.stop.abort(new ControlFailure('stopping', 'the tuning was stopped'))
  }

  /** Lists what the tuning did since its start here, the newest last. */
  linesOf(name: string): string[] {
    return this.#active?.name === name ? [...this.#active.lines] : []
  }

  /** Tunings of the results folder, newest first. */
  async list(): Promise<TuningHead[]> {
    const active = this.#active
    return (await headsIn(this.#options.resultsDir)).map((head) => {
      if (active?.name === head.name)
        return {
          ...head,
          state: 'running',
          sentence: null,
          trials: { ...head.trials, done: Math.min(head.trials.total, active.trials) },
        }
      const failure = this.#failures.get(head.name) ?? null
      return failure === null || head.state === 'done' ? head : { ...head, state: 'failed', failure }
    })
  }

  async close(): Promise<void> {
    const active = this.#active
    if (active === null) return
    active.stop.abort(new ControlFailure('stopping', 'the engine is stopping'))
    await Promise.race([active.done, new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())])
  }

  async #planned(input: TuneInput): Promise<{ setup: PreparedRun; planned: PlannedTuning }> {
    const { ranges, dataset_id, alias: name, context_budget, model_set } = input
    const preparation = await this.#options.prepare({
      run_id: 'tuning',
      dataset_ids: [dataset_id],
      models: [name],
      metrics: [],
      judge: { enabled: false },
      cold_reset: false,
      publish: false,
      ...(context_budget === undefined ? {} : { context_budget }),
      ...(model_set === undefined ? {} : { model_set }),
    })
    if (!preparation.ok) throw new InputError(preparation.problems.map(({ path, message }) => `${path}: ${message}`))
    const setup = preparation.run
    if (answersElsewhere(setup.inputs) !== null)
      throw new InputError(['only the embedded platform takes other parameters with a question: choose it in Settings'])
    // A file of this machine is named on its command line, not by a page.
    const file = ranges.find(({ values }) => values.split(',').some((value) => value.trim().startsWith('@')))
    if (file !== undefined) throw new InputError([`${file.name}: a file is not read here: enter the values themselves`])
    const run = runOf(setup, UNASKED, new AbortController().signal)
    await checkCorpus(run.experiment, run.dataset)
    await checkGold(run.experiment.root, run.dataset)
    const wish = tuningWish(setup.experiment, setup.aliases[0]!, {
      assignments: ranges.map(({ name: parameter, values }) => `${parameter}=${values}`),
      search: input.search,
      trials: input.search === 'grid' ? null : input.trials,
      seed: input.seed,
      share: input.holdout,
      metric: input.metric,
      answers: input.answers,
      name: null,
    })
    return { setup, planned: await planTuning(run, wish) }
  }

  async #runToEnd(active: Active, planned: PlannedTuning, setup: PreparedRun, confirm: boolean): Promise<void> {
    const { resultsDir, beginPlatform, endPlatform, report } = this.#options
    try {
      const platform = await beginPlatform(setup)
      const result = await runTuning(runOf(setup, platform, active.stop.signal), planned, {
        resultsDir,
        confirm,
        onTrial: (news) => {
          active.trials += 1
          active.lines = [...active.lines.slice(1 - MOST_LINES), trialWords(news, planned)]
        },
      })
      await writeTuningReport(tuningFolder(resultsDir, planned.name), result)
    } catch (error) {
      if (!active.stop.signal.aborted) {
        report(error)
        this.#failures.set(planned.name, messageOf(error))
      }
    } finally {
      this.#active = null
      endPlatform()
    }
  }
}

const runOf = (setup: PreparedRun, platform: PlatformSource, stop: AbortSignal): DatasetRun =>
  datasetRunsOf(setup, { platform, emit: () => undefined, drain: stop, abort: stop })[0]!
