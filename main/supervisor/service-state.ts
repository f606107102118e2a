import { CONFIG_EXIT_CODE, DEADLINE_EXIT_CODE } from '../../core/process-exit.ts'

/** Describes how a start or a running service failed; each class has its own count. */
export type FailureClass =
  | 'start_timeout'
  | 'exit'
  | 'spawn_error'
  | 'deadline_exit'
  | 'configuration'
  | 'unresponsive'
  | 'unhealthy'

export type ServiceState =
  | { name: 'idle' }
  | { name: 'starting' }
  | { name: 'ready'; sinceMs: number }
  | { name: 'backoff'; untilMs: number; failure: FailureClass }
  | { name: 'stopping' }
  | { name: 'stopped' }
  | { name: 'failed'; failure: FailureClass; reason: string }

const BACKOFF_WORDS: Readonly<Record<FailureClass, string>> = {
  start_timeout: 'it did not become ready in time',
  exit: 'it ended by itself',
  spawn_error: 'it could not be started',
  deadline_exit: 'a call exceeded its deadline',
  configuration: 'it could not start again as it is set up',
  unresponsive: 'it did not answer its probe',
  unhealthy: 'it answered that it does not work',
}

/** The state in words for a person; null where its name says all. */
export function detailOf(state: ServiceState): string | null {
  if (state.name === 'failed') return state.reason
  if (state.name === 'backoff') return `${BACKOFF_WORDS[state.failure]}; it is started again`
  return null
}

export interface Supervision {
  state: ServiceState
  /** Consecutive failures by class since the service was last stable. */
  failures: Record<FailureClass, number>
  /** True when it has worked since it was asked to start: it can be started as it is set up. */
  hasWorked: boolean
}

export type Observation =
  | { type: 'start' }
  | { type: 'probe_passed'; atMs: number }
  | { type: 'start_timed_out'; atMs: number }
  /** It failed its first probe or, once ready, as many in a row as are accepted. */
  | { type: 'probe_failed'; atMs: number; failure: 'unresponsive' | 'unhealthy'; reason: string }
  | { type: 'spawn_failed'; atMs: number; reason: string }
  | { type: 'exited'; atMs: number; code: number | null; signal: string | null }
  | { type: 'backoff_elapsed' }
  | { type: 'stop' }

export type Effect = { type: 'spawn' } | { type: 'kill' } | { type: 'ask_to_stop' } | { type: 'wait'; forMs: number }

/** A service that ran this long counts as recovered. */
export const STABLE_AFTER_MS = 60_000
/** Failed probes take a minute to be a failure: one that soon fails them again has not recovered. */
const RESPONSIVE_AFTER_MS = 10 * STABLE_AFTER_MS
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
/** Failures of one class in a row after which the service fails. */
const GIVE_UP_AFTER = 6
/** A service that has never worked fails the same way when it is started again. */
const FINAL_AT_START: readonly FailureClass[] = ['configuration', 'unhealthy']
/** Found by probes of a service that is ready. */
const FOUND_BY_PROBES: readonly FailureClass[] = ['unresponsive', 'unhealthy']

const noFailures = (): Record<FailureClass, number> => ({
  start_timeout: 0,
  exit: 0,
  spawn_error: 0,
  deadline_exit: 0,
  configuration: 0,
  unresponsive: 0,
  unhealthy: 0,
})

export const initialSupervision = (): Supervision => ({
  state: { name: 'idle' },
  failures: noFailures(),
  hasWorked: false,
})

interface Step {
  next: Supervision
  effects: Effect[]
}

const stay = (now: Supervision): Step => ({ next: now, effects: [] })

/** Backoff before restart number `count` (from 1); `jitter` in 0..1 spreads restarts of several services. */
export function backoffMs(count: number, jitter: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1)) * (0.75 + jitter / 2)
}

function failed(now: Supervision, failure: FailureClass, reason: string, atMs: number, jitter: number): Step {
  const recoveryMs = FOUND_BY_PROBES.includes(failure) ? RESPONSIVE_AFTER_MS : STABLE_AFTER_MS
  const stable = now.state.name === 'ready' && atMs - now.state.sinceMs >= recoveryMs
  const failures = stable ? noFailures() : { ...now.failures }
  // A provider that answered 504 asked for its restart: no sign of a broken one.
  if (failure !== 'deadline_exit') failures[failure] += 1
  if (failures[failure] >= GIVE_UP_AFTER || (FINAL_AT_START.includes(failure) && !now.hasWorked))
    return { next: { ...now, state: { name: 'failed', failure, reason }, failures }, effects: [] }
  const waitMs = backoffMs(Math.max(1, failures[failure]), jitter)
  return {
    next: { ...now, state: { name: 'backoff', untilMs: atMs + waitMs, failure }, failures },
    effects: [{ type: 'wait', forMs: waitMs }],
  }
}

function onExit(now: Supervision, seen: Extract<Observation, { type: 'exited' }>, jitter: number): Step {
  if (now.state.name === 'stopping') return { next: { ...now, state: { name: 'stopped' } }, effects: [] }
  if (now.state.name !== 'starting' && now.state.name !== 'ready') return stay(now)
  if (seen.code === CONFIG_EXIT_CODE) return failed(now, 'configuration', 'configuration error', seen.atMs, jitter)
  const how = seen.signal === null ? `exit code ${seen.code ?? 'unknown'}` : `signal ${seen.signal}`
  return failed(now, seen.code === DEADLINE_EXIT_CODE ? 'deadline_exit' : 'exit', how, seen.atMs, jitter)
}

/** The whole life of a supervised child: what was seen → the next state and what to do. `jitter` is a random number in 0..1. */
export function supervise(now: Supervision, seen: Observation, jitter: number): Step {
  const { name } = now.state
  switch (seen.type) {
    case 'start':
      if (name !== 'idle' && name !== 'stopped' && name !== 'failed') return stay(now)
      return {
        next: { state: { name: 'starting' }, failures: noFailures(), hasWorked: false },
        effects: [{ type: 'spawn' }],
      }
    case 'probe_passed':
      return name === 'starting'
        ? { next: { ...now, state: { name: 'ready', sinceMs: seen.atMs }, hasWorked: true }, effects: [] }
        : stay(now)
    case 'start_timed_out': {
      if (name !== 'starting') return stay(now)
      const step = failed(now, 'start_timeout', 'it did not become ready in time', seen.atMs, jitter)
      return { ...step, effects: [{ type: 'kill' }, ...step.effects] }
    }
    case 'probe_failed': {
      if (name !== 'starting' && name !== 'ready') return stay(now)
      const step = failed(now, seen.failure, seen.reason, seen.atMs, jitter)
      return { ...step, effects: [{ type: 'kill' }, ...step.effects] }
    }
    case 'spawn_failed':
      return name === 'starting' ? failed(now, 'spawn_error', seen.reason, seen.atMs, jitter) : stay(now)
    case 'exited':
      return onExit(now, seen, jitter)
    case 'backoff_elapsed':
      return name === 'backoff'
        ? { next: { ...now, state: { name: 'starting' } }, effects: [{ type: 'spawn' }] }
        : stay(now)
    case 'stop':
      if (name === 'starting' || name === 'ready')
        return { next: { ...now, state: { name: 'stopping' } }, effects: [{ type: 'ask_to_stop' }] }
      if (name === 'stopping' || name === 'stopped' || name === 'failed') return stay(now)
      return { next: { ...now, state: { name: 'stopped' } }, effects: [] }
  }
}
