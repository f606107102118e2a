import type { IndexState } from '../../contract/control/events.ts'
import type { ControlErrorCode } from '../../contract/control/control-error.ts'
import type { IndexStatus } from '../../contract/index.ts'
import type { RunIndex } from '../run-index/open-run-index.ts'
import { RunIndexError } from '../run-index/run-index-error.ts'
import { ControlFailure } from './control-failure.ts'
import type { EventHub } from './event-hub.ts'
import type { RunIndexApi } from './run-index-api.ts'

type Outcome = { ok: true } | { ok: false; code: string; message: string }

/** How the index's refusals are called at the control API; a file that changed is read again with the next sync. */
const CODES: Readonly<Record<string, ControlErrorCode>> = {
  not_found: 'not_found',
  file_missing: 'file_changed',
  file_changed: 'file_changed',
  not_a_text: 'not_a_text',
}

function found<Result extends Outcome>(outcome: Result): Extract<Result, { ok: true }> {
  if (outcome.ok) return outcome as Extract<Result, { ok: true }>
  const code = CODES[outcome.code] ?? 'index_failed'
  throw new ControlFailure(code, outcome.message, undefined, code === 'file_changed')
}

/** The run index as the engine uses it: followed all the time, its changes told, its refusals in the control API's words. */
export class IndexGateway implements RunIndexApi {
  readonly #index: RunIndex
  readonly #hub: EventHub
  #unwatch: (() => void) | null = null
  #state: IndexState = 'opening'
  #message: string | null = null

  constructor(index: RunIndex, hub: EventHub) {
    this.#index = index
    this.#hub = hub
  }

  get state(): { state: IndexState; message: string | null } {
    return { state: this.#state, message: this.#message }
  }

  /** Follows the result folders until `close`. A failure is told and leaves everything else at work. */
  follow(): void {
    let isFirst = true
    this.#unwatch = this.#index.watch(
      (change) => {
        if (this.#state !== 'rebuilding') this.#moved('ready', null)
        // The first look tells nothing when nothing changed since the last time.
        if (isFirst || change.runs.length + change.removed.length + change.damaged.length > 0)
          this.#hub.publish({ type: 'index.changed', change })
        isFirst = false
      },
      (error) => this.#moved('failed', error.message),
    )
    // A first look that finds nothing new, as in a project without results, is not reported as a change.
    this.#index.sync().then(
      () => this.#state === 'opening' && this.#moved('ready', null),
      () => undefined,
    )
  }

  async close(): Promise<void> {
    this.#unwatch?.()
    await this.#index.close()
  }

  #moved(state: IndexState, message: string | null): void {
    if (state === this.#state && message === this.#message) return
    this.#state = state
    this.#message = message
    this.#hub.publish({ type: 'index.state', state, message })
  }

  status(): Promise<IndexStatus> {
    return this.#index.status()
  }

  /** The index's own account; null when it cannot give one, which its state then tells. */
  async statusOrNull(): Promise<IndexStatus | null> {
    try {
      return await this.status()
    } catch (error) {
      if (error instanceof RunIndexError) return null
      throw error
    }
  }

  listRuns(...[input]: Parameters<RunIndexApi['listRuns']>): ReturnType<RunIndexApi['listRuns']> {
    return this.#index.listRuns(input)
  }

  async runSummary(runId: string): ReturnType<RunIndexApi['runSummary']> {
    return found(await this.#index.runSummary(runId)).summary
  }

  async matrixPage(...[input]: Parameters<RunIndexApi['matrixPage']>): ReturnType<RunIndexApi['matrixPage']> {
    return found(await this.#index.matrixPage(input)).page
  }

  async columnHeads(...[input]: Parameters<RunIndexApi['columnHeads']>): ReturnType<RunIndexApi['columnHeads']> {
    return found(await this.#index.columnHeads(input)).heads
  }

  async cell(...[input]: Parameters<RunIndexApi['cell']>): ReturnType<RunIndexApi['cell']> {
    return found(await this.#index.cell(input))
  }

  async answerSlice(...[input]: Parameters<RunIndexApi['answerSlice']>): ReturnType<RunIndexApi['answerSlice']> {
    return found(await this.#index.answerSlice(input))
  }

  search(...[input]: Parameters<RunIndexApi['search']>): ReturnType<RunIndexApi['search']> {
    return this.#index.search(input)
  }

  compareRuns(...[input]: Parameters<RunIndexApi['compareRuns']>): ReturnType<RunIndexApi['compareRuns']> {
    return this.#index.compareRuns(input)
  }

  verify(): ReturnType<RunIndexApi['verify']> {
    return this.#index.verify()
  }

  async rebuild(): Promise<IndexStatus> {
    this.#moved('rebuilding', null)
    try {
      await this.#index.rebuild()
    } catch (error) {
      this.#moved('failed', error instanceof Error ? error.message : String(error))
      throw error
    }
    this.#moved('ready', null)
    return this.status()
  }
}
