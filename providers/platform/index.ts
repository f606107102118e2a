import { setFlagsFromString } from 'node:v8'
import { useCompileCache } from '../kit/compile-cache.ts'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
useCompileCache()
// V8 lets the heap grow to several times what is live before it collects. The platform runs beside models that need the memory, and its
// live heap is small: docs/decisions/095 has the measurement.
setFlagsFromString('--heap-growing-percent=40')
await runService('the platform', 'PLATFORM_PORT', async () => {
  const { loadPlatformConfig } = await import('./config.ts')
  const { startPlatform } = await import('./platform.ts')
  const { warmBuiltinModels } = await import('./models/load-builtin.ts')
  const config = loadPlatformConfig(process.env)
  await warmBuiltinModels(config.models)
  return startPlatform(config, (name) => process.env[name])
})
