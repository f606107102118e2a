/**
 * Loaded before every process of the product by `--import`: writes the delay of its event loop to the folder SOAK_DELAYS, once a second, in
 * milliseconds: by the clock, and the longest stretch of the thread's own processor time, which other programs on the machine do not change.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Describes what a process reports of the time after its first ten seconds. */
export interface LoopDelay {
  p99Ms: number
  longestMs: number
  p99CpuMs: number
  longestCpuMs: number
}

const RESOLUTION_MS = 5
const folder = process.env['SOAK_DELAYS']

if (isMainThread && folder !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const file = join(folder, `${process.pid}.json`)
  const threadMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let usedMs = threadMs()
  let longestCpuMs = 0
  const held = createHistogram()
  const look = (): void => {
    const nowMs = threadMs()
    longestCpuMs = Math.max(longestCpuMs, nowMs - usedMs)
    held.record(Math.max(1, Math.round(1000 * (nowMs - usedMs))))
    usedMs = nowMs
    setTimeout(look, 1).unref()
  }
  look()
  const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  setInterval(() => {
    const p99CpuMs = held.percentile(99) / 1000
    const report: LoopDelay = { p99Ms: ms(delay.percentile(99)), longestMs: ms(delay.max), p99CpuMs, longestCpuMs }
    writeFileSync(file, JSON.stringify(report))
  }, 1000).unref()
  // The start of a process is not its service.
  setTimeout(() => {
    delay.reset()
    held.reset()
    longestCpuMs = 0
  }, 10_000).unref()
  process.once('exit', () => rmSync(file, { force: true }))
}
