/**
 * Longest stretch for which work holds the event loop, in milliseconds of the thread's own processor time, which other programs on the machine do not
 * change. The first round compiles and fills caches; the second one counts.
 */
export async function longestSliceMs(work: () => Promise<unknown>): Promise<number> {
  await work()
  let longestMs = 0
  let usedMs = threadMs()
  let isOver = false
  const look = (): void => {
    const nowMs = threadMs()
    longestMs = Math.max(longestMs, nowMs - usedMs)
    usedMs = nowMs
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  look()
  return longestMs
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
