import type { PaceExchange } from './pace-exchange.ts'
import { LONGEST_ASKED_MS, PATIENCE_MS, pauseMs, waitFor } from './pauses.ts'

const MOST_AT_A_TIME = 64
/** Calls at a time before a service has answered any: one that limits its calls has not to refuse dozens to be known as such. */
const FIRST_AT_A_TIME = 4
/** Answers after which one more call at a time is tried, once a service has refused some; before that two answers add one. */
const ANSWERS_PER_PLACE = 8
/** The same from the number on of which some were refused last: it is tried again, but seldom. */
const ANSWERS_PER_REFUSED_PLACE = 64
/** In this time with answers and without a refusal the distance between calls falls to an e-th: a limit that has risen is found out. */
const SHORTENING_MS = 5000
/** Longest distance between calls. */
const MOST_APART_MS = 8000

/** One call that is under way. */
export interface Place {
  /** Time between asking for the place and getting it. */
  waitedMs: number
  /**
   * Ends the call, with the status of its answer and the pause that it asks for. True for a refusal that means "too many calls": it is to be waited for and
   * repeated. A 503 without a pause means so only beside other calls, and none does once the patience with the service is over.
   */
  end(status: number | null, askedMs?: number | null): boolean
}

export interface PaceOptions {
  most?: number
  /** Calls at a time at first. */
  first?: number
  wait?: ((pauseMs: number, signal?: AbortSignal) => Promise<void>) | undefined
  now?: () => number
  /** Shares slowdowns with the other processes that call the service. */
  exchange?: PaceExchange | undefined
}

/**
 * States how many calls a service gets at a time. A refusal for too many calls halves their number and lets all wait for the pause that the service asks
 * for; answers raise it again, slowly. Calls are spaced by the number that the service answered until it refused one: calls that are answered at once exceed a
 * limit per second or minute also one at a time. What other processes report of the service slows this one down as well.
 */
export class Pace {
  #places: number
  /** Calls at a time of which the service refused some last. */
  #refusedPlaces = Number.POSITIVE_INFINITY
  #underWay = 0
  /** Refusals since the last answer, those of calls that were sent together counted once. */
  #refusals = 0
  #refusedSinceMs: number | null = null
  #slowdowns = 0
  #pause: { untilMs: number } | null = null
  /** Longest pause that the service asked for, or that was made where it asked for none. */
  #longestPauseMs = 0
  /** Least time between two calls; 0 until the service has refused one after some answers. */
  #apartMs = 0
  /** Earliest time of the next call. */
  #nextMs = Number.NEGATIVE_INFINITY
  /** Counts answers since the first call, or since the last pause. */
  #answered = { sinceMs: Number.NaN, lastMs: Number.POSITIVE_INFINITY, calls: 0 }
  #waiting: (() => void)[] = []
  readonly #most: number
  readonly #wait: (pauseMs: number, signal?: AbortSignal) => Promise<void>
  readonly #now: () => number
  readonly #exchange: PaceExchange | undefined

  constructor({
    most = MOST_AT_A_TIME,
    first = FIRST_AT_A_TIME,
    wait = waitFor,
    now = () => performance.now(),
    exchange,
  }: PaceOptions = {}) {
    this.#exchange = exchange
    this.#most = most
    this.#places = Math.min(most, first)
    this.#wait = wait
    this.#now = now
  }

  /** Calls at a time, now. */
  get places(): number {
    return Math.floor(this.#places)
  }

  /** Milliseconds until the service may be called again. */
  get pauseMs(): number {
    return this.#pause === null ? 0 : Math.max(0, Math.ceil(this.#pause.untilMs - this.#now()))
  }

  /** A place, once there is one and no pause is left; null where that takes longer than the caller has time. Rejects with the signal's reason. */
  async take(signal?: AbortSignal, withinMs = Number.POSITIVE_INFINITY): Promise<Place | null> {
    const askedAtMs = this.#now()
    let hasWaited = false
    for (let paused: object | null = null; ; hasWaited = true) {
      signal?.throwIfAborted()
      this.#readNews()
      if (this.#now() + this.pauseMs - askedAtMs > withinMs) return null
      if (this.#pause !== paused && this.pauseMs > 0) {
        paused = this.#pause
        await this.#wait(this.pauseMs, signal)
      } else if (this.#underWay >= this.places) await this.#turn(signal)
      else break
    }
    this.#underWay += 1
    if (this.#apartMs > 0) {
      const isInTime = await this.#apart(askedAtMs + withinMs, signal).catch((error: unknown) => {
        this.#leave()
        throw error
      })
      if (!isInTime) {
        this.#leave()
        return null
      }
      hasWaited ||= this.#now() > askedAtMs
    }
    const startedMs = this.#now()
    if (Number.isNaN(this.#answered.sinceMs)) this.#answered.sinceMs = startedMs
    const slowdowns = this.#slowdowns
    let isOver = false
    return {
      waitedMs: hasWaited ? Math.round(startedMs - askedAtMs) : 0,
      end: (status, askedMs = null) => {
        if (isOver) return false
        isOver = true
        const isLimit = this.#isLimit(status, askedMs)
        if (isLimit) this.#slowDown(slowdowns, askedMs)
        else if (status !== null && status !== 429 && status < 500) this.#speedUp()
        this.#leave()
        return isLimit
      },
    }
  }

  #leave(): void {
    this.#underWay -= 1
    // Each looks for itself whether there is a place: one that was given up meanwhile is not lost.
    for (const next of this.#waiting.splice(0)) next()
  }

  /** Waits for the turn of this call; false where that comes after `latestMs`. A refusal meanwhile gives all calls another turn. */
  async #apart(latestMs: number, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      const nowMs = this.#now()
      const atMs = Math.max(nowMs + this.pauseMs, this.#nextMs)
      if (atMs > latestMs) return false
      this.#nextMs = atMs + this.#apartMs
      if (atMs <= nowMs) return true
      const slowdowns = this.#slowdowns
      await this.#wait(atMs - nowMs, signal)
      if (this.#slowdowns === slowdowns) return true
    }
  }

  /**
   * After a pause, calls are as far apart as those that were answered before it, the pause included; at most twice the longest pause, since a service that refuses
   * calls at any distance would move them ever further apart.
   */
  #space(untilMs: number, askedMs: number): void {
    this.#longestPauseMs = Math.max(this.#longestPauseMs, askedMs)
    const { sinceMs, calls } = this.#answered
    if (calls > 0) this.#apartMs = Math.min(MOST_APART_MS, 2 * this.#longestPauseMs, (untilMs - sinceMs) / calls)
    this.#answered = { sinceMs: untilMs, lastMs: untilMs, calls: 0 }
    this.#nextMs = untilMs
  }

  #isLimit(status: number | null, askedMs: number | null): boolean {
    if (status !== 429 && (status !== 503 || (askedMs === null && this.#underWay === 1))) return false
    this.#refusedSinceMs ??= this.#now()
    return this.#now() - this.#refusedSinceMs < PATIENCE_MS
  }

  /** `slowdowns` is their number when the refused call was sent. */
  #slowDown(slowdowns: number, askedMs: number | null): void {
    if (slowdowns === this.#slowdowns) {
      const refused = Math.floor(Math.min(this.#places, this.#underWay))
      this.#refusedPlaces = Math.max(2, refused)
      this.#places = Math.max(1, Math.floor(refused / 2))
      this.#refusals += 1
      this.#slowdowns += 1
    }
    const wantedMs = pauseMs(this.#refusals, askedMs)
    // A service that refuses again after its pause gets a longer one, also where it asks for none.
    const firstMs = askedMs === null || askedMs === 0 ? undefined : 2 * askedMs
    const leastMs = this.#refusals > 1 ? pauseMs(this.#refusals - 1, null, Math.random(), firstMs) : 0
    const untilMs = this.#now() + Math.max(leastMs, wantedMs)
    if (untilMs <= (this.#pause?.untilMs ?? 0)) return
    this.#pause = { untilMs }
    this.#space(untilMs, wantedMs)
    this.#exchange?.report({ pauseMs: this.pauseMs, places: this.places })
  }

  /** Takes over what other processes have learned. A call of this one that was sent before is refused for the same reason. */
  #readNews(): void {
    for (const { pauseMs: leftMs, places } of this.#exchange?.news() ?? []) {
      this.#places = Math.max(1, Math.min(this.#places, places))
      this.#refusedPlaces = Math.min(this.#refusedPlaces, places + 1)
      this.#slowdowns += 1
      const untilMs = this.#now() + Math.min(leftMs, LONGEST_ASKED_MS)
      if (untilMs <= (this.#pause?.untilMs ?? 0)) continue
      this.#pause = { untilMs }
      this.#space(untilMs, leftMs)
    }
  }

  #speedUp(): void {
    this.#refusedSinceMs = null
    this.#refusals = 0
    this.#answered.calls += 1
    const nowMs = this.#now()
    this.#apartMs *= Math.exp(-Math.max(0, nowMs - this.#answered.lastMs) / SHORTENING_MS)
    this.#answered.lastMs = nowMs
    const answers =
      this.#slowdowns === 0 ? 2 : this.places + 1 < this.#refusedPlaces ? ANSWERS_PER_PLACE : ANSWERS_PER_REFUSED_PLACE
    this.#places = Math.min(this.#most, this.#places + 1 / answers)
    if (this.places >= this.#refusedPlaces) this.#refusedPlaces = Number.POSITIVE_INFINITY
  }

  /** Waits until a place may be free, or the signal is raised. */
  async #turn(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        signal?.removeEventListener('abort', go)
        resolve()
      }
      this.#waiting.push(go)
      signal?.addEventListener('abort', go, { once: true })
    })
  }
}
