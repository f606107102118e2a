import { abortable } from './abortable.ts'
import type { Clock } from './clock.ts'

export interface GraphDocument {
  /** Stable id: uploading the same one again replaces or keeps it, never doubles it. */
  id: string
  title: string
  text: string
}

export interface DrainResult {
  processed: number
  failed: { document: string; error: string }[]
}

/** The graph engine as ingestion sees it. Both calls throw `GraphTargetError` for what the engine or the way to it did. */
export interface GraphTargetClient {
  upload(document: GraphDocument, signal: AbortSignal): Promise<{ trackId: string }>
  /** Waits until every tracked document is processed or has failed; `deadline` in milliseconds since 1970. */
  drain(trackIds: readonly string[], deadline: number, signal: AbortSignal): Promise<DrainResult>
  /** Takes out every document that is not listed and returns how many there were; absent where the engine is not ours to tidy. */
  retain?(ids: readonly string[]): number
  /** Takes out everything, for a cold start; absent as above. */
  clear?(): Promise<number>
}

/** One engine for all ingestion profiles, or one for each. */
export type GraphTargets = GraphTargetClient | ((profile: string) => GraphTargetClient)

/** The engine that a profile's documents go to. */
export function graphTargetOf(targets: GraphTargets | null | undefined, profile: string): GraphTargetClient | null {
  return typeof targets === 'function' ? targets(profile) : (targets ?? null)
}

/** A call to the graph engine that failed; a transient one is worth another try. */
export class GraphTargetError extends Error {
  override readonly name = 'GraphTargetError'
  readonly transient: boolean
  readonly status: number | null
  readonly body: string | null

  constructor(message: string, options: { transient: boolean; status?: number; body?: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.transient = options.transient
    this.status = options.status ?? null
    this.body = options.body ?? null
  }
}

/** Transient failures until the deadline: the engine could not be reached. */
export class GraphUnavailableError extends Error {
  override readonly name = 'GraphUnavailableError'
  readonly attempts: number
  readonly last: GraphTargetError | null

  constructor(attempts: number, last: GraphTargetError | null) {
    const said = last === null ? 'no answer' : last.message
    super(`graph engine unavailable until the deadline, ${attempts} attempts: ${said}`, { cause: last })
    this.attempts = attempts
    this.last = last
  }
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

/**
 * Repeats a call while it fails transiently, with doubling waits, until the deadline; then throws `GraphUnavailableError`. Also a call
 * that hangs ends at the deadline.
 */
export async function withinDeadline<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result> {
  let last: GraphTargetError | null = null
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const left = deadline - clock.now()
    if (left <= 0) throw new GraphUnavailableError(attempt - 1, last)
    const timeout = AbortSignal.timeout(Math.ceil(left))
    try {
      const attemptSignal = AbortSignal.any([signal, timeout])
      return await abortable(call(attemptSignal), attemptSignal)
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) throw new GraphUnavailableError(attempt, last)
      if (!(error instanceof GraphTargetError) || !error.transient) throw error
      last = error
    }
    const wait = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_DELAY_MS)
    if (clock.now() + wait >= deadline) throw new GraphUnavailableError(attempt, last)
    await clock.sleep(wait, signal)
  }
}
