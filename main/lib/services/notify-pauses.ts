import { durationWords } from '../../../contract/words.ts'
import { pausesIn } from '../../../core/http/pace-exchange.ts'

/** Shorter pauses are part of answering. */
const NOTIFIED_MS = 2000
const LOOK_EVERY_MS = 250
/** The pause of a service ends later by this at least where it is another one. */
const LATER_MS = 1000

/** Reports each pause that a service asks for while calls wait for it. `pacesDir` is the folder in which processes report them. Returns what ends it. */
export function notifyPauses(pacesDir: string, notify: (message: string) => void): () => void {
  const known = new Map<string | null, number>()
  const look = (): void => {
    const nowMs = Date.now()
    for (const { service, until } of pausesIn(pacesDir)) {
      const pauseMs = until - nowMs
      if (pauseMs <= NOTIFIED_MS || until < (known.get(service) ?? 0) + LATER_MS) continue
      known.set(service, until)
      notify(
        `waits ${durationWords(pauseMs)}: ${service === null ? 'a service' : `the service at ${service}`} limits its calls`,
      )
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
