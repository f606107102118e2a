import type { RunState } from '../../../contract/control/run-job.ts'

/** What can happen to a run, asked for by a person or seen by the engine. */
export type RunCommand = 'begin' | 'pause' | 'cancel' | 'resume' | 'dismiss' | 'engine_gone' | RunEnd

/** How the runner left off; stopped: before everything was made. */
export type RunEnd = 'completed' | 'failed' | 'stopped'

const NEXT: Readonly<Record<RunState, Partial<Record<RunCommand, RunState>>>> = {
  queued: { begin: 'running', pause: 'paused', cancel: 'cancelled', engine_gone: 'interrupted', failed: 'failed' },
  running: {
    pause: 'pausing',
    cancel: 'cancelling',
    completed: 'completed',
    failed: 'failed',
    // Stopped without a request: the engine itself is ending.
    stopped: 'interrupted',
    engine_gone: 'interrupted',
  },
  pausing: {
    cancel: 'cancelling',
    completed: 'completed',
    failed: 'failed',
    stopped: 'paused',
    engine_gone: 'interrupted',
  },
  cancelling: { completed: 'completed', failed: 'cancelled', stopped: 'cancelled', engine_gone: 'interrupted' },
  paused: { resume: 'queued', cancel: 'cancelled' },
  cancelled: { resume: 'queued' },
  failed: { resume: 'queued' },
  interrupted: { resume: 'queued', dismiss: 'cancelled', cancel: 'cancelled' },
  completed: {},
}

/** The state after a command; null when the run's state does not allow it. */
export function nextRunState(state: RunState, command: RunCommand): RunState | null {
  return NEXT[state][command] ?? null
}

/** Whether the runner may be at work on it, so that nothing else may touch its files. */
export const isUnderWay = (state: RunState): boolean =>
  state === 'running' || state === 'pausing' || state === 'cancelling'

export const isResumable = (state: RunState): boolean => NEXT[state].resume === 'queued'
