import { enableCompileCache } from 'node:module'
import { runService } from '../kit/run-service.ts'

// Before anything heavy is imported: the next start takes compiled code from the cache.
enableCompileCache()

await runService('tts', async () => {
  const { loadTtsConfig } = await import('./config.ts')
  const { startTts } = await import('./tts-service.ts')
  return startTts(loadTtsConfig(process.env))
})
