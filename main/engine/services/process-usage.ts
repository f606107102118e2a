import { readFile } from 'node:fs/promises'

export interface ProcessUsage {
  rss_bytes: number
  /** Of one processor since the last look; null at the first. */
  cpu_percent: number | null
}

/** Kernel ticks per second in `/proc`; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Asks the system what a process uses; null where there is no `/proc`, or no such process. */
export function createUsageMeter(): (pid: number) => Promise<ProcessUsage | null> {
  const last = new Map<number, { ticks: number; atMs: number }>()
  return async (pid) => {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null),
      readFile(`/proc/${pid}/status`, 'utf8').catch(() => null),
    ])
    const rssKb = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1]
    if (stat === null || rssKb === undefined) {
      last.delete(pid)
      return null
    }
    // The name, second field, may hold blanks and brackets: count from its end. User and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const now = { ticks: Number(fields[11]) + Number(fields[12]), atMs: performance.now() }
    const before = last.get(pid)
    last.set(pid, now)
    const seconds = before === undefined ? 0 : (now.atMs - before.atMs) / 1000
    const used = before === undefined ? 0 : (now.ticks - before.ticks) / TICKS_PER_SECOND
    return { rss_bytes: Number(rssKb) * 1024, cpu_percent: seconds < 0.2 ? null : (used / seconds) * 100 }
  }
}
