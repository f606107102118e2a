import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { forgetResults } from './builtin/language/memo.ts'

/** A process that is smaller has little to give back. */
const LARGE_BYTES = 320 * 1024 * 1024

interface CollectGarbage {
  (options: { type: 'major'; flavor: 'last-resort' }): void
}

/**
 * To be called when a process starts, before it uses a compile cache: V8 rejects code that was compiled with other flags, and what a process leaves
 * in the cache is marked with the flags of its end.
 */
export function permitGivingBack(): void {
  setFlagsFromString('--expose-gc')
}

/**
 * Gives memory back to the system after a phase of large work, and drops what the models by rules keep of recent texts; false where the process is too
 * small for it, or was not permitted to at its start.
 *
 * V8 keeps the pages of a heap that has shrunk in a pool for its next growth, and releases them only with a garbage collection of the last resort
 * (docs/decisions/134). That stops the process for about a tenth of a second.
 */
export function giveBackFreedMemory(fromBytes = LARGE_BYTES): boolean {
  if (process.memoryUsage.rss() < fromBytes) return false
  forgetResults()
  const collect = runInNewContext('globalThis.gc') as CollectGarbage | undefined
  collect?.({ type: 'major', flavor: 'last-resort' })
  return collect !== undefined
}
