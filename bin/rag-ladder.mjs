#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=20 --no-concurrent-recompilation
// Starts the command line on a Node that runs TypeScript; an older one hands over to the Node that the project installs. The heap is set
// to stay small: most of what a cell allocates is garbage at once, and a long run must not grow with its cells. Threads that compile beside the run
// would keep 30 MB of the C library's memory each time, and take nothing off its time on two processors.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HEAP_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20', '--no-concurrent-recompilation']
const [major, minor] = process.versions.node.split('.').map(Number)
const runsTypeScript = major > 22 || (major === 22 && minor >= 18)

/** Null for what prints a few lines, which is quicker than to compare the sources, and in a bundle, where this file is none of the sources. */
async function bundledCommandLine() {
  const isSmall = [undefined, 'help', '--help', '-h', '--version', '-V'].includes(process.argv[2])
  if (isSmall || !import.meta.filename.endsWith('.mjs')) return null
  const { currentBundle } = await import('./current-bundle.ts')
  return currentBundle(fileURLToPath(new URL('..', import.meta.url)))
}

if (runsTypeScript) {
  // Before the first TypeScript module: the next start takes stripped and compiled code from the cache.
  module.enableCompileCache()
  const bundle = await bundledCommandLine()
  await (bundle === null ? import('../main/cli.ts') : import(pathToFileURL(bundle).href))
} else {
  const installed = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
  if (!existsSync(installed)) {
    console.error(
      `rag-ladder needs Node 22.18 or later, this is ${process.versions.node}: run "npm ci" in the project first`,
    )
    process.exit(2)
  }
  const child = spawn(installed, [...HEAP_FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal === null ? process.exit(code ?? 1) : process.kill(process.pid, signal)))
}
