import { enableCompileCache } from 'node:module'
import { announceReady, exitOnUnhandledErrors, exitWhenParentGone } from '../kit/process-life.ts'

enableCompileCache()

const report = (error: unknown): void => {
  const expected = error instanceof Error && error.name === 'ConverterConfigError'
  process.stderr.write(`${expected ? error.message : `converter: ${describe(error)}`}\n`)
}

exitOnUnhandledErrors(report)
const { loadConverterConfig } = await import('./config.ts')
const { startConverter } = await import('./server.ts')
const converter = await startConverter(loadConverterConfig(process.env))
exitWhenParentGone(() => converter.close(), report)
announceReady(converter)

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
