import { useCompileCache } from '../kit/compile-cache.ts'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
useCompileCache()

await runService('text to speech', 'PORT', async () => {
  const { loadTtsConfig } = await import('./config.ts')
  const { startTts } = await import('./tts-service.ts')
  return startTts(loadTtsConfig(process.env))
})
