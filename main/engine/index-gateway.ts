import type { IndexState } from '../../contract/control/events.ts'
import type { ControlErrorCode } from '../../contract/control/control-error.ts'
import type { IndexStatus, IndexVerification } from '../../contract/control/run-index/upkeep.ts'
import { messageOf } from '../../core/json.ts'
import type { RunIndex } from '../run-index/open-run-index.ts'
import type { QueryInput, QueryName, QueryResult } from '../run-index/queries/answer-query.ts'
import { RunIndexError } from '../run-index/run-index-error.ts'
import { ControlFailure } from './control-failure.ts'
import type { EventHub } from './event-hub.ts'

/** The index's refusals as control API errors; a changed file is read again by the next sync. */
const CODES: Readonly<Record<string, ControlErrorCode>> = {
  not_found: 'not_found',
  file_missing: 'file_changed',
  file_changed: 'file_changed',
  not_a_text: 'not_a_text',
}

/** A query's result without its refusals. */
type Found<Result> = Exclude<Result, { ok: false }>

function found<Result>(result: Result): Found<Result> {
  const outcome = result as { ok?: boolean; code: string; message: string }
  if (outcome.ok !== false) return result as Found<Result>
  const code = CODES[outcome.code] ?? 'index_failed'
  throw new ControlFailure(code, outcome.message, undefined, code === 'file_changed')
}

/** Returns the result, or null where a query fails with one of the codes. */
export const orNull = <Result>(asked: Promise<Result>, ...codes: ControlErrorCode[]): Promise<Result | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof ControlFailure && codes.includes(error.error.code)) return null
    throw error
  })

/** The part of the index that the engine's queries need. */
export type RunIndexApi = Pick<IndexGateway, 'query'>

/** The run index as the engine uses it: watched all the time, its changes published, its refusals thrown as control API errors. */
export class IndexGateway {
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

  /** Follows the result folders until `close`. A failure is published and stops nothing else. */
  follow(): void {
    let isFirst = true
    this.#unwatch = this.#index.watch(
      (change) => {
        if (this.#state !== 'rebuilding') this.#setState('ready', null)
        // The first sync publishes nothing when nothing changed.
        if (isFirst || change.runs.length + change.removed.length + change.damaged.length > 0)
          this.#hub.publish({ type: 'index.changed', change })
        isFirst = false
      },
      (error) => this.#setState('failed', error.message),
    )
    // A first sync without changes, as in a project without results, is not reported as a change.
    this.#index.sync().then(
      () => this.#state === 'opening' && this.#setState('ready', null),
      () => undefined,
    )
  }

  async close(): Promise<void> {
    this.#unwatch?.()
    await this.#index.close()
  }

  #setState(state: IndexState, message: string | null): void {
    if (state === this.#state && message === this.#message) return
    this.#state = state
    this.#message = message
    this.#hub.publish({ type: 'index.state', state, message })
  }

  /** Rejects with `RunIndexError`, and with `ControlFailure` (`not_found`, `file_changed`, `not_a_text`) for a refusal. */
  async query<Name extends QueryName>(name: Name, input: QueryInput<Name>): Promise<Found<QueryResult<Name>>> {
    return found(await this.#index.query(name, input))
  }

  /** The index's status; null when it cannot answer, and `state` then has the reason. */
  async statusOrNull(): Promise<IndexStatus | null> {
    try {
      return await this.query('status', {})
    } catch (error) {
      if (error instanceof RunIndexError) return null
      throw error
    }
  }

  /** Reads what has changed in the result folders now, without waiting for the watcher. */
  async sync(): Promise<void> {
    const change = await this.#index.sync()
    if (change.runs.length + change.removed.length + change.damaged.length > 0)
      this.#hub.publish({ type: 'index.changed', change })
  }

  verify(): Promise<IndexVerification> {
    return this.#index.verify()
  }

  async rebuild(): Promise<IndexStatus> {
    this.#setState('rebuilding', null)
    try {
      await this.#index.rebuild()
    } catch (error) {
      this.#setState('failed', messageOf(error))
      throw error
    }
    this.#setState('ready', null)
    return this.query('status', {})
  }
}
