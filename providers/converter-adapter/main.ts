import { runService } from '../kit/run-service.ts'

await runService('the converter adapter', 'DOCCONV_ADAPTER_PORT', async () => {
  const { loadAdapterConfig } = await import('./config.ts')
  const { startAdapter } = await import('./server.ts')
  return startAdapter(loadAdapterConfig(process.env))
})
