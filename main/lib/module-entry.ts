import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'

/**
 * The module at `path`, without its ending, seen from the module at `importer` (its `import.meta.url`): `.ts` beside sources, `.js` beside
 * built files. Entries of children and threads are named so, because a build rewrites imports but no addresses.
 */
export function moduleEntry(path: string, importer: string): URL {
  const ending = /\.(?:m?ts|m?js)$/.exec(new URL(importer).pathname)?.[0] ?? '.js'
  return new URL(path + ending, importer)
}

/** The same as a file path. */
export const moduleFile = (path: string, importer: string): string => fileURLToPath(moduleEntry(path, importer))

/**
 * A thread of ours is started without the flags of this process, and with its compile cache, because a thread strips and compiles its
 * modules again otherwise, which is half of its start. An Electron with a Node before 22 has no cache.
 */
export function threadOptions(workerData: unknown): WorkerOptions {
  const { getCompileCacheDir } = nodeModule as Partial<typeof nodeModule>
  const folder = getCompileCacheDir?.()
  const env = folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) }
  return { workerData, execArgv: [], env }
}
