import { fileURLToPath } from 'node:url'

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
