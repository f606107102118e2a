// A browser opens six connections to one host for all tabs together, and a stream of events holds one as long as it is open. A hidden tab
// closes its stream; shown again, it reads on from its last number.

export interface PageSight {
  /** Resolves as soon as the page is shown, at once when it is, and when `ended` is aborted. */
  shown: () => Promise<void>
  /** A signal that is aborted when the page is hidden the next time, or `ended` is. */
  hidden: () => AbortSignal
}

type Seen = Pick<Document, 'visibilityState' | 'addEventListener'>

/** Follows whether a page is shown until `ended` is aborted. */
export function watchSight(ended: AbortSignal, page: Seen = document): PageSight {
  const isHidden = (): boolean => page.visibilityState === 'hidden'
  const once = (wanted: boolean, work: () => void): void => {
    const done = new AbortController()
    const check = (): void => {
      if (isHidden() !== wanted && !ended.aborted) return
      done.abort()
      work()
    }
    page.addEventListener('visibilitychange', check, { signal: done.signal })
    ended.addEventListener('abort', check, { signal: done.signal })
    check()
  }
  return {
    shown: () => new Promise((resolve) => once(false, resolve)),
    hidden: () => {
      const stop = new AbortController()
      once(true, () => stop.abort())
      return stop.signal
    },
  }
}
