import { enableCompileCache } from 'node:module'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
enableCompileCache()

await runService('stt', async () => {
  const { loadSttConfig } = await import('./config.ts')
  const { startStt } = await import('./stt-service.ts')
  return startStt(loadSttConfig(process.env))
})
