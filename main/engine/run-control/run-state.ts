// The state of a run as a table of states and commands.
import type { RunState } from '../../../contract/control/run-job.ts'

/** Describes what can happen to a run: a request of the user or an event in the engine. */
export type RunCommand = 'begin' | 'pause' | 'cancel' | 'resume' | 'dismiss' | 'engine_gone' | RunEnd

/** Describes how the runner ended; stopped: before all cells were done. */
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

export const isResumable = (state: RunState): boolean => NEXT[state].resume === 'queued'
