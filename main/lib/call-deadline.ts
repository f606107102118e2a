/** The signal of one call, and whether it was the deadline that raised it. */
export interface CallDeadline {
  signal: AbortSignal
  expired(): boolean
}

/**
 * Runs an action under a deadline and, where there is one, an outer signal. Timer and listener go as soon as the action ends:
 * `AbortSignal.timeout` and `AbortSignal.any` would keep theirs for the whole deadline, which over thousands of short calls is memory.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  action: (deadline: CallDeadline) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  let expired = false
  const timer = setTimeout(() => {
    expired = true
    controller.abort(new DOMException('the deadline passed', 'TimeoutError'))
  }, timeoutMs)
  const giveUp = (): void => controller.abort(outer?.reason)
  if (outer?.aborted) giveUp()
  outer?.addEventListener('abort', giveUp, { once: true })
  try {
    return await action({ signal: controller.signal, expired: () => expired })
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', giveUp)
  }
}
