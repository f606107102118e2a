import { join, resolve } from 'node:path'
import { build } from 'vite'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** A process that is killed leaves no compiled code for the next one unless it stores it before. */
const FLUSH = `process.getBuiltinModule('node:module').flushCompileCache()`

const bundles = new Map<string, Promise<string>>()

/**
 * Bundles a script of this folder and returns the file to start: a process that reads one file starts in a third of the time that the many files
 * of the sources take, and crash tests start hundreds. Once for all tests of a file. Threads and children of its own are not in it.
 */
export function bundledScript(script: string): Promise<string> {
  const bundle = bundles.get(script) ?? bundled(script)
  bundles.set(script, bundle)
  return bundle
}

async function bundled(script: string): Promise<string> {
  const folder = join(REPOSITORY, 'out/crash', script)
  await build({
    configFile: false,
    logLevel: 'error',
    root: REPOSITORY,
    // Packages with a native part stay where they are installed.
    ssr: { noExternal: true, external: ['better-sqlite3', 'pg', 'sharp'] },
    build: {
      ssr: join(import.meta.dirname, script),
      outDir: folder,
      minify: false,
      target: 'node22',
      rolldownOptions: { output: { format: 'es', entryFileNames: 'script.js', footer: FLUSH } },
    },
  })
  return join(folder, 'script.js')
}
