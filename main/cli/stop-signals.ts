/** Ctrl-C once lets the cells in flight finish; twice gives them up. */
export interface StopSignals {
  drain: AbortSignal
  abort: AbortSignal
  dispose(): void
}

export function listenForStop(tell: (message: string) => void): StopSignals {
  const drain = new AbortController()
  const abort = new AbortController()
  const onSignal = (): void => {
    if (drain.signal.aborted) {
      abort.abort()
      return
    }
    tell('stopping: cells in flight finish and are kept; press Ctrl-C again to give them up')
    drain.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    drain: drain.signal,
    abort: abort.signal,
    dispose() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
