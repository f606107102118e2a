import { enableCompileCache } from 'node:module'
import { announceReady, exitOnUnhandledErrors, exitWhenParentGone } from '../kit/process-life.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
enableCompileCache()

const report = (error: unknown): void => {
  const expected = error instanceof Error && error.name === 'PlatformConfigError'
  process.stderr.write(`${expected ? error.message : `platform: ${describe(error)}`}\n`)
}

exitOnUnhandledErrors(report)
const { loadPlatformConfig } = await import('./config.ts')
const { startPlatform } = await import('./platform.ts')
const platform = await startPlatform(loadPlatformConfig(process.env), (name) => process.env[name])
exitWhenParentGone(() => platform.close(), report)
announceReady(platform)

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
