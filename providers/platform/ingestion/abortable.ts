/** The work's result, or a rejection with the signal's reason as soon as it aborts, also when the work does not look at the signal. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}
