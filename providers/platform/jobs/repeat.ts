import type { Logger } from '../../kit/logger.ts'

/** Acts again and again, never twice at a time. The returned function ends that, and waits for what is under way. */
export function repeat(act: () => Promise<void>, everyMs: number): () => Promise<void> {
  let underWay: Promise<void> | null = null
  const timer = setInterval(() => {
    underWay ??= act().finally(() => {
      underWay = null
    })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await underWay
  }
}

/** An act whose failure is logged and changes nothing: it comes again. */
export const quietly =
  (logger: Logger, failure: string, act: () => Promise<void>): (() => Promise<void>) =>
  async () => {
    try {
      await act()
    } catch (error) {
      logger.error({ err: error }, failure)
    }
  }
