import { join } from 'node:path'
import { BUNDLE_VARIABLE } from '../../build/program-bundle.ts'
import { PROJECT_ROOT } from './project-root.ts'

/**
 * Returns what a test starts as a process of the product, named by its source file below the project's root: from the bundle where `npm test` made one,
 * and from the sources otherwise.
 */
export function programFile(source: string): string {
  const bundle = process.env[BUNDLE_VARIABLE]
  return bundle === undefined ? join(PROJECT_ROOT, source) : join(bundle, source.replace(/\.m?ts$|\.mjs$/, '.js'))
}

/** Flags of Node with which `npm run rag-ladder` and the installed program start the command line. */
export const CLI_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20', '--no-concurrent-recompilation']
