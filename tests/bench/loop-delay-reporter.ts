/**
 * Loaded before a service by `--import`: measures the delay of its event loop and answers `{ bench: 'loop-delay' }` from its parent with the
 * delays since the last request, in milliseconds: by the clock, and the longest stretch of the thread's own processor time, which other programs
 * on the machine do not change.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 5
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()

const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
let usedMs = threadMs()
let longestCpuMs = 0
function look(): void {
  const nowMs = threadMs()
  longestCpuMs = Math.max(longestCpuMs, nowMs - usedMs)
  usedMs = nowMs
  setTimeout(look, 1).unref()
}
look()

process.on('message', (message) => {
  if ((message as { bench?: string } | null)?.bench !== 'loop-delay') return
  process.send?.({ bench: 'loop-delay', p99Ms: ms(delay.percentile(99)), longestMs: ms(delay.max), longestCpuMs })
  delay.reset()
  longestCpuMs = 0
})
