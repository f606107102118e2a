import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, type StepResult } from './run-step.ts'

const SOURCES = ['contract', 'core', 'charts', 'main', 'preload', 'renderer']
const BUILT = ['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html']

/** Time of the newest file below a folder. */
function newestIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (newest, entry) =>
      entry.isFile() ? Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs) : newest,
    0,
  )
}

/** Returns true when something was edited since pages and shell were built, or they were never built. */
export function arePagesStale(): boolean {
  if (!BUILT.every((file) => existsSync(file))) return true
  const oldest = Math.min(...BUILT.map((file) => statSync(file).mtimeMs))
  return SOURCES.some((folder) => newestIn(folder) > oldest)
}

/** Builds pages and shell into `out`. */
export const buildPages = (): Promise<StepResult> =>
  runTool('pages and shell', 'electron-vite', ['build', '--logLevel', 'warn'])
