import { cancelPausedCalls } from '../lib/services/cancel-paused-calls.ts'
import { notifyPauses } from '../lib/services/notify-pauses.ts'
import { pacesFolder } from '../manifests/models/model-records.ts'

/** Signals that stop a command: Ctrl-C, a service manager, a closed terminal. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal lets the cells in flight finish, unless they wait for the pause of a service; the second cancels them. */
export interface StopSignals {
  drain: AbortSignal
  abort: AbortSignal
  dispose(): void
}

/** `root` is the project of a run whose answers in flight finish after the first signal, and whose pauses are reported. */
export function listenForStop(notify: (message: string) => void, root?: string): StopSignals {
  const drain = new AbortController()
  const abort = new AbortController()
  const onSignal = (): void => {
    if (drain.signal.aborted) {
      abort.abort()
      return
    }
    notify('stopping: answers in flight finish and are kept; press Ctrl-C again to cancel them')
    drain.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  const stopLooking = root === undefined ? null : cancelPausedCalls(drain.signal, abort, pacesFolder(root), notify)
  const stopNotifying = root === undefined ? null : notifyPauses(pacesFolder(root), notify)
  return {
    drain: drain.signal,
    abort: abort.signal,
    dispose() {
      stopLooking?.()
      stopNotifying?.()
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
    },
  }
}
