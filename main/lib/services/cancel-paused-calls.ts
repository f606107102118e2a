import { durationWords } from '../../../contract/words.ts'
import { longestPauseMs } from '../../../core/http/pace-exchange.ts'

/** Shorter pauses are part of answering: what is in flight finishes in spite of them. */
const WAITED_FOR_MS = 2000
const LOOK_EVERY_MS = 250

/**
 * Cancels the calls in flight of a run that is being stopped, once a service asks for a pause: their answers are made when the run is resumed. `pacesDir` is the
 * folder in which processes report the pauses of services. Returns what ends it.
 */
export function cancelPausedCalls(
  drain: AbortSignal,
  abort: AbortController,
  pacesDir: string,
  notify: (message: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const pauseMs = longestPauseMs(pacesDir)
    if (pauseMs <= WAITED_FOR_MS || abort.signal.aborted) return
    clearInterval(timer)
    notify(
      `a service limits its calls and is to be called again in ${durationWords(pauseMs)}: answers that wait for it are cancelled, and made when the run is resumed`,
    )
    abort.abort()
  }
  const start = (): void => {
    timer = setInterval(look, LOOK_EVERY_MS)
    // A command that ends before it calls anything is not kept alive.
    timer.unref()
    look()
  }
  drain.addEventListener('abort', start, { once: true })
  return () => {
    drain.removeEventListener('abort', start)
    clearInterval(timer)
  }
}
