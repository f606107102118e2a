import { runService } from '../kit/run-service.ts'

await runService(
  'text to speech',
  'PORT',
  async () => {
    const { loadTtsConfig } = await import('./config.ts')
    const { startTts } = await import('./tts-service.ts')
    return startTts(loadTtsConfig(process.env))
  },
  { isBackground: true },
)
