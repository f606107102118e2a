/** The exit code of a process that ended itself because it held too much. */
export const OUT_OF_MEMORY_EXIT = 86
const MEMORY_CHECK_MS = 500

/** Ends this process, which is that of a model, when it holds more: the system would end another program otherwise. */
export function limitMemory(limitBytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > limitBytes) process.exit(OUT_OF_MEMORY_EXIT)
  }, MEMORY_CHECK_MS).unref()
}
