import { enableCompileCache } from 'node:module'
import { CONFIG_EXIT_CODE } from '../../core/process-exit.ts'
import { announceReady, exitOnUnhandledErrors, exitWithHost } from '../../core/process-life.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
enableCompileCache()

/** Limits how long the engine may take to end its runs and services when it is stopped. */
const GRACE_MS = 15_000

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`engine: ${text}\n`)
}

exitOnUnhandledErrors(process, report)

const { createEngine } = await import('./create-engine.ts')
const { EngineConfigError, readEngineConfig, TOKEN_VARIABLE } = await import('./engine-config.ts')
const { rememberMadeSecrets, rememberSecretsOf } = await import('../../core/known-secrets.ts')
const { rememberStoredKeys } = await import('../lib/trust/model-keys.ts')
const { nameButtonsInRemedies } = await import('../evidence/typed-command.ts')
const { launchersOfEngine } = await import('./engine-launchers.ts')

try {
  const launchers = launchersOfEngine()
  const config = readEngineConfig(process.env, launchers.platform, launchers.services)
  rememberMadeSecrets(process.env[TOKEN_VARIABLE] ?? '')
  rememberSecretsOf(process.env)
  await rememberStoredKeys()
  nameButtonsInRemedies()
  // Children inherit the environment, and have no business with it.
  Reflect.deleteProperty(process.env, TOKEN_VARIABLE)
  const engine = await createEngine(config, report)
  exitWithHost(process, () => engine.stop(), report, GRACE_MS)
  announceReady(process, { url: engine.url, port: Number(new URL(engine.url).port) })
} catch (error) {
  if (!(error instanceof EngineConfigError)) {
    report(error)
    process.exit(1)
  }
  process.stderr.write(`engine: ${error.message}\n`)
  process.exit(CONFIG_EXIT_CODE)
}
