import { randomUUID } from 'node:crypto'
import type { ControlEvent, SequencedEvent } from '../../contract/control/events.ts'
import { valueWithoutSecrets } from '../../core/known-secrets.ts'

/** Events kept for clients that reconnect: about 10 minutes of a fast run. */
const KEPT_EVENTS = 20_000

/** A plan of a run with changed conditions may list every row; the plan call returns their number. */
const MAX_CONFLICTS = 100
const MAX_TEXT_CHARS = 20_000

const short = (text: string): string => (text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`)

function cutToMessageSize(event: ControlEvent): ControlEvent {
  if (event.type === 'plan.ready' && event.plan.conflicts.length > MAX_CONFLICTS)
    return { ...event, plan: { ...event.plan, conflicts: event.plan.conflicts.slice(0, MAX_CONFLICTS) } }
  if (event.type === 'step.failed' || event.type === 'notice') return { ...event, message: short(event.message) }
  return event
}

export interface FollowFrom {
  /** Number of the last event seen; absent: only what happens from now on. */
  after?: number
  /** The engine that gave that number. */
  engineId?: string
}

/** One numbered stream of all events; its last part is kept for clients that reconnect. */
export class EventHub {
  readonly engineId = randomUUID()
  readonly #ring: NumberedRing<SequencedEvent>
  #listeners = new Set<(event: SequencedEvent) => void>()

  constructor(capacity = KEPT_EVENTS) {
    this.#ring = new NumberedRing(capacity)
  }

  /** Number of the last event; 0 before the first. */
  get newest(): number {
    return this.#ring.newest
  }

  publish(event: ControlEvent): SequencedEvent {
    const entry: SequencedEvent = {
      seq: this.#ring.newest + 1,
      at: new Date().toISOString(),
      event: valueWithoutSecrets(cutToMessageSize(event)),
    }
    this.#ring.push(entry)
    for (const listener of this.#listeners) listener(entry)
    return entry
  }

  /** Called with each event as it is published; returns a function that stops it. */
  listen(listener: (event: SequencedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Everything after a number, then every new event, until the signal. Events that are no longer kept are reported as a gap. */
  async *follow({ after, engineId }: FollowFrom, signal: AbortSignal): AsyncGenerator<SequencedEvent> {
    const ring = this.#ring
    const isForeign = after !== undefined && ((engineId ?? this.engineId) !== this.engineId || after > ring.newest)
    let seen = isForeign ? 0 : (after ?? ring.newest)
    yield this.#about(seen, { type: 'stream.opened', engine_id: this.engineId, newest: ring.newest })
    if (isForeign) yield this.#about(0, { type: 'stream.gap', reason: 'other_engine', missed: null })
    while (!signal.aborted) {
      const missed = ring.missedAfter(seen)
      if (missed > 0) {
        seen += missed
        yield this.#about(seen, { type: 'stream.gap', reason: 'too_old', missed })
      } else if (seen < ring.newest) {
        seen += 1
        yield ring.at(seen)
      } else await ring.grown(signal)
    }
  }

  #about(seq: number, event: ControlEvent): SequencedEvent {
    return { seq, at: new Date().toISOString(), event }
  }
}

/** The last entries of a stream, numbered from 1. Readers pull, so a slow one costs no memory: it skips entries and knows how many. */
export class NumberedRing<Entry> {
  readonly #capacity: number
  readonly #entries: Entry[] = []
  #newest = 0
  #waiting: (() => void)[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Number of the last entry; 0 before the first. */
  get newest(): number {
    return this.#newest
  }

  push(entry: Entry): void {
    this.#newest += 1
    this.#entries[this.#newest % this.#capacity] = entry
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** The number of entries after `seen` that are no longer kept. */
  missedAfter(seen: number): number {
    return Math.max(0, this.#newest - this.#capacity - seen)
  }

  /** An entry that is still kept. */
  at(number: number): Entry {
    return this.#entries[number % this.#capacity]!
  }

  /** Resolves at the next entry, or when the signal is aborted. */
  grown(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#waiting.push(done)
    })
  }
}
