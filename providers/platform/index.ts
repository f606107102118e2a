import { setFlagsFromString } from 'node:v8'
import { runService } from '../kit/run-service.ts'
import { permitGivingBack } from './models/freed-memory.ts'

// V8 lets the heap grow to several times what is live before it collects. The platform runs beside models that need the memory, and its
// live heap is small: docs/decisions/134 has the measurement.
setFlagsFromString('--heap-growing-percent=20')
permitGivingBack()
// After the flags, because a service uses the compile cache: V8 rejects code that was compiled with other flags, and the cache's folder is chosen
// by those that are set by now.
await runService('the platform', 'PLATFORM_PORT', async () => {
  const { loadPlatformConfig } = await import('./composition/config.ts')
  const { rememberSecretsOf } = await import('../../core/known-secrets.ts')
  // Words of model services leave this process in its answers.
  rememberSecretsOf(process.env)
  const config = loadPlatformConfig(process.env)
  // Before a cold reset its host asks whether it could start: everything that a person set is read by now.
  if (process.env['RAG_LADDER_CHECK_ONLY'] === '1') process.exit(0)
  const { startPlatform } = await import('./composition/platform.ts')
  const { warmBuiltinModels } = await import('./models/load-builtin.ts')
  await warmBuiltinModels(config.models)
  return startPlatform(config, (name) => process.env[name])
})
