/** Signals that stop a command: Ctrl-C, a service manager, a closed terminal. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal lets the cells in flight finish; the second cancels them. */
export interface StopSignals {
  drain: AbortSignal
  abort: AbortSignal
  dispose(): void
}

export function listenForStop(notify: (message: string) => void): StopSignals {
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
  return {
    drain: drain.signal,
    abort: abort.signal,
    dispose() {
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
    },
  }
}
