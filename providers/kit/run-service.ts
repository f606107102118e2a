import { announceReady, exitOnUnhandledErrors, exitWhenParentGone } from './process-life.ts'

export interface RunningService {
  url: string
  port: number
  close(): Promise<void>
}

/** The life of a service's process: starts it, says that it works, ends it with its host. A bad configuration is told in plain sentences. */
export async function runService(name: string, start: () => Promise<RunningService>): Promise<void> {
  const report = (error: unknown): void => {
    process.stderr.write(`${describe(name, error)}\n`)
  }
  exitOnUnhandledErrors(report)
  const service = await start()
  exitWhenParentGone(() => service.close(), report)
  announceReady(service)
}

function describe(name: string, error: unknown): string {
  if (!(error instanceof Error)) return `${name}: ${String(error)}`
  return error.name === 'ServiceConfigError' ? error.message : `${name}: ${error.stack ?? error.message}`
}
