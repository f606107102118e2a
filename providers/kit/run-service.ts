import { closeSync, openSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { limitBehind } from '../../core/system-limit.ts'
import { CONFIG_EXIT_CODE } from '../../core/process-exit.ts'
import { announceReady, exitOnUnhandledErrors, exitWithHost } from '../../core/process-life.ts'
import { ServiceConfigError } from './service-config-error.ts'
import { yieldToOthers } from './yield-to-others.ts'

/** A service may take this long to end its work when it is stopped. */
const GRACE_MS = 10_000

export interface RunningService {
  url: string
  port: number
  close(): Promise<void>
}

/**
 * The life of a service's process: starts it, reports that it works, ends it with its host. What prevents its start is reported in plain
 * sentences, and by an exit code which means that another try would not help. `portVariable` is where a person sets its port. Only what `start`
 * imports is taken from the compile cache. A background service yields the processor to others: the page that a user reads and the question
 * that a caller waits for come before a conversion.
 */
export async function runService(
  name: string,
  portVariable: string,
  start: () => Promise<RunningService>,
  { isBackground = false }: { isBackground?: boolean } = {},
): Promise<void> {
  if (isBackground) yieldToOthers()
  useCompileCache()
  const report = (error: unknown): void => {
    process.stderr.write(`${describe(name, error)}\n`)
  }
  exitOnUnhandledErrors(process, report)
  let running: RunningService | null = null
  // From the beginning: a start that waits for another service ends with its host too.
  exitWithHost(process, async () => running?.close(), report, GRACE_MS)
  const service = await start()
    .then((started) => {
      requireSpareHandles(name)
      return started
    })
    .catch((error: unknown) => {
      const refusal = refusalOf(name, portVariable, error)
      if (refusal === null) throw error
      report(refusal)
      process.exit(CONFIG_EXIT_CODE)
    })
  running = service
  announceReady(process, service)
}

/** The next start takes compiled code from the cache. An Electron with a Node before 22 has none. */
function useCompileCache(): void {
  const { enableCompileCache } = nodeModule as Partial<typeof nodeModule>
  enableCompileCache?.()
}

/** Returns what a person must change before it can start; null for what may be different the next time. */
function refusalOf(name: string, portVariable: string, error: unknown): ServiceConfigError | null {
  if (error instanceof ServiceConfigError) return error
  const { code, port, address, path } = error as Partial<Record<'code' | 'port' | 'address' | 'path', unknown>>
  const limit = limitBehind(error)
  if (limit !== null)
    return new ServiceConfigError(name, [
      `${typeof path === 'string' ? `${path}: ` : ''}${limit.reason}: ${limit.remedy}`,
    ])
  if (code !== 'EADDRINUSE') return null
  return new ServiceConfigError(name, [
    `port ${String(port)} on ${String(address)} is taken: end the program that has it, or set ${portVariable} to another port (0: any free one)`,
  ])
}

/** A service without them listens, and drops every connection without a word. */
const SPARE_HANDLES = 16

function requireSpareHandles(name: string): void {
  const spare: number[] = []
  try {
    while (spare.length < SPARE_HANDLES) spare.push(openSync(import.meta.filename, 'r'))
  } catch (error) {
    const limit = limitBehind(error)
    if (limit !== null) throw new ServiceConfigError(name, [`${limit.reason}: ${limit.remedy}`])
    throw error
  } finally {
    for (const handle of spare) closeSync(handle)
  }
}

function describe(name: string, error: unknown): string {
  if (error instanceof ServiceConfigError) return error.message
  return error instanceof Error ? `${name}: ${error.stack ?? error.message}` : `${name}: ${String(error)}`
}
