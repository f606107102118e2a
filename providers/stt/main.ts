import { useCompileCache } from '../kit/compile-cache.ts'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
useCompileCache()

await runService('speech to text', 'STT_PORT', async () => {
  const { loadSttConfig } = await import('./config.ts')
  const { startStt } = await import('./stt-service.ts')
  return startStt(loadSttConfig(process.env))
})
