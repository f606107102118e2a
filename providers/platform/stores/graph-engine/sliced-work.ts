import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SlicedWork } from '../../../../core/sliced-work.ts'

/** Longest stretch of work before other requests get their turn. */
const TURN_MS = 5

/** Runs the work in turns. The signal ends it between two turns. */
export async function runInTurns<Result>(work: SlicedWork<Result>, signal?: AbortSignal): Promise<Result> {
  let turnStarted = performance.now()
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    if (performance.now() - turnStarted < TURN_MS) continue
    await nextTurn()
    signal?.throwIfAborted()
    turnStarted = performance.now()
  }
}

/** Lets other requests run whenever the work since the last pause took longer than a turn. */
export function createPauses(signal?: AbortSignal): () => Promise<void> {
  let turnStarted = performance.now()
  return async () => {
    if (performance.now() - turnStarted < TURN_MS) return
    await nextTurn()
    signal?.throwIfAborted()
    turnStarted = performance.now()
  }
}
