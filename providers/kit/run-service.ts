import * as nodeModule from 'node:module'
import { CONFIG_EXIT_CODE } from '../../contract/process-exit.ts'
import { announceReady, exitOnUnhandledErrors, exitWithHost } from '../../contract/process-life.ts'
import { ServiceConfigError } from './service-config-error.ts'

/** How long a service may take to end its work when it is stopped. */
const GRACE_MS = 10_000

export interface RunningService {
  url: string
  port: number
  close(): Promise<void>
}

/**
 * The life of a service's process: starts it, reports that it works, ends it with its host. What prevents its start is reported in plain
 * sentences, and by an exit code which means that another try would not help. `portVariable` is where a person sets its port. Only what `start`
 * imports is taken from the compile cache.
 */
export async function runService(
  name: string,
  portVariable: string,
  start: () => Promise<RunningService>,
): Promise<void> {
  useCompileCache()
  const report = (error: unknown): void => {
    process.stderr.write(`${describe(name, error)}\n`)
  }
  exitOnUnhandledErrors(process, report)
  const service = await start().catch((error: unknown) => {
    const refusal = refusalOf(name, portVariable, error)
    if (refusal === null) throw error
    report(refusal)
    process.exit(CONFIG_EXIT_CODE)
  })
  exitWithHost(process, () => service.close(), report, GRACE_MS)
  announceReady(process, service)
}

/** The next start takes compiled code from the cache. An Electron with a Node before 22 has none. */
function useCompileCache(): void {
  const { enableCompileCache } = nodeModule as Partial<typeof nodeModule>
  enableCompileCache?.()
}

/** What a person must change before it can start; null for what may be otherwise the next time. */
function refusalOf(name: string, portVariable: string, error: unknown): ServiceConfigError | null {
  if (error instanceof ServiceConfigError) return error
  const { code, port, address } = error as { code?: unknown; port?: unknown; address?: unknown }
  if (code !== 'EADDRINUSE') return null
  return new ServiceConfigError(name, [
    `port ${String(port)} on ${String(address)} is taken: end the program that has it, or set ${portVariable} to another port (0: any free one)`,
  ])
}

function describe(name: string, error: unknown): string {
  if (error instanceof ServiceConfigError) return error.message
  return error instanceof Error ? `${name}: ${error.stack ?? error.message}` : `${name}: ${String(error)}`
}
