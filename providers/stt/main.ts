import { runService } from '../kit/run-service.ts'

await runService(
  'speech to text',
  'STT_PORT',
  async () => {
    const { loadSttConfig } = await import('./config.ts')
    const { startStt } = await import('./stt-service.ts')
    return startStt(loadSttConfig(process.env))
  },
  { isBackground: true },
)
