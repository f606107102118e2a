import type { ModelBackend } from './model-backend.ts'
import { modelWait } from './model-waits.ts'

/** Runs work, at most `most` at a time; what has to wait starts in the order in which it came. */
export type Limit = <Result>(signal: AbortSignal | undefined, work: () => Promise<Result>) => Promise<Result>

/** A limit of work at the same time. Who leaves while waiting is rejected with the reason of its signal, and its work is not begun. */
export function limitOf(most: number): Limit {
  let running = 0
  const waiting = new Set<() => void>()
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        waiting.delete(begin)
        signal?.removeEventListener('abort', leave)
        running += 1
        resolve()
      }
      const leave = (): void => {
        waiting.delete(begin)
        reject(signal!.reason as Error)
      }
      if (running < most) begin()
      else {
        signal?.addEventListener('abort', leave, { once: true })
        waiting.add(begin)
      }
    })
  return async (signal, work) => {
    signal?.throwIfAborted()
    await modelWait(() => turn(signal))
    try {
      return await work()
    } finally {
      running -= 1
      waiting.values().next().value?.()
    }
  }
}

/** The same backend, whose calls take turns under the limit. A call holds its turn until it has ended, pauses before its retries included. */
export function limitedBackend(backend: ModelBackend, limit: Limit): ModelBackend {
  const { embed, chat, rerank } = backend
  return {
    ...(embed === undefined
      ? {}
      : {
          embed: (texts, side, signal, statistics, onTokens) =>
            limit(signal, () => embed(texts, side, signal, statistics, onTokens)),
        }),
    ...(chat === undefined
      ? {}
      : { chat: (request, signal, onText) => limit(signal, () => chat(request, signal, onText)) }),
    ...(rerank === undefined
      ? {}
      : { rerank: (query, texts, signal, pool) => limit(signal, () => rerank(query, texts, signal, pool)) }),
    close: () => backend.close(),
  }
}
