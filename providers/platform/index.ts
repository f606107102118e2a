import { setFlagsFromString } from 'node:v8'
import { runService } from '../kit/run-service.ts'
import { permitGivingBack } from './freed-memory.ts'

// V8 lets the heap grow to several times what is live before it collects. The platform runs beside models that need the memory, and its
// live heap is small: docs/decisions/095 has the measurement.
setFlagsFromString('--heap-growing-percent=20')
permitGivingBack()
// After the flags, because a service uses the compile cache: V8 rejects code that was compiled with other flags, and the cache's folder is chosen
// by those that are set by now.
await runService('the platform', 'PLATFORM_PORT', async () => {
  const { loadPlatformConfig } = await import('./config.ts')
  const { startPlatform } = await import('./platform.ts')
  const { warmBuiltinModels } = await import('./models/load-builtin.ts')
  const config = loadPlatformConfig(process.env)
  await warmBuiltinModels(config.models)
  return startPlatform(config, (name) => process.env[name])
})
