import { enableCompileCache } from 'node:module'
import { announceReady, exitOnUnhandledErrors, exitWhenParentGone } from '../kit/process-life.ts'

enableCompileCache()

const report = (error: unknown): void => {
  const expected = error instanceof Error && error.name === 'AdapterConfigError'
  process.stderr.write(`${expected ? error.message : `converter adapter: ${describe(error)}`}\n`)
}

exitOnUnhandledErrors(report)
const { loadAdapterConfig } = await import('./config.ts')
const { startAdapter } = await import('./server.ts')
const adapter = await startAdapter(loadAdapterConfig(process.env))
exitWhenParentGone(() => adapter.close(), report)
announceReady(adapter)

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
