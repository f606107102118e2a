import { runService } from '../kit/run-service.ts'

await runService(
  'the converter',
  'DOCCONV_PORT',
  async () => {
    const { loadConverterConfig } = await import('./config.ts')
    const { startConverter } = await import('./server.ts')
    return startConverter(loadConverterConfig(process.env))
  },
  { isBackground: true },
)
