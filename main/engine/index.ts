import { enableCompileCache } from 'node:module'
import { CONFIG_EXIT_CODE } from '../../contract/process-exit.ts'
import { announceReady, exitWithHost } from './host-channel.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
enableCompileCache()

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`engine: ${text}\n`)
}

// An engine in an unknown state is started again, not trusted: what runs had made is in their evidence.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => {
    report(error)
    process.exit(1)
  })

const { createEngine } = await import('./create-engine.ts')
const { EngineConfigError, readEngineConfig, TOKEN_VARIABLE } = await import('./engine-config.ts')
const { rememberSecretsOf } = await import('../lib/known-secrets.ts')
const { nameButtonsInRemedies } = await import('../evidence/typed-command.ts')
const { launchersOfEngine } = await import('./host-channel.ts')

try {
  const launchers = launchersOfEngine()
  const config = readEngineConfig(process.env, launchers.platform, launchers.services)
  rememberSecretsOf(process.env)
  nameButtonsInRemedies()
  // Children inherit the environment, and have no business with it.
  Reflect.deleteProperty(process.env, TOKEN_VARIABLE)
  const engine = await createEngine(config, report)
  exitWithHost(() => engine.stop(), report)
  announceReady(engine.url)
} catch (error) {
  if (!(error instanceof EngineConfigError)) {
    report(error)
    process.exit(1)
  }
  process.stderr.write(`engine: ${error.message}\n`)
  process.exit(CONFIG_EXIT_CODE)
}
