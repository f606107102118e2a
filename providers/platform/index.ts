import { useCompileCache } from '../kit/compile-cache.ts'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
useCompileCache()
await runService('the platform', 'PLATFORM_PORT', async () => {
  const { loadPlatformConfig } = await import('./config.ts')
  const { startPlatform } = await import('./platform.ts')
  return startPlatform(loadPlatformConfig(process.env), (name) => process.env[name])
})
