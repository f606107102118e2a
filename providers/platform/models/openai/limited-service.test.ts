import { expect, it, onTestFinished } from 'vitest'
import { startLimitedService } from '../../../../tests/helpers/limited-service.ts'
import { createOpenAiBackend } from './openai-backend.ts'

it('60 texts of an ingestion are embedded by a service that takes two calls at a time', async () => {
  const service = await startLimitedService(
    { data: [{ index: 0, embedding: [1, 0] }] },
    { status: 429, headers: { 'retry-after-ms': '40' } },
  )
  const choice = { model: 'm', base_url: service.url, api_key_env: null, timeout_s: 60, retries: 1, cloud: false }
  const backend = createOpenAiBackend('embed', { backend: 'openai', ...choice, defaults: {} }, null)
  onTestFinished(async () => {
    await backend.close()
    await service.close()
  })
  const texts = Array.from({ length: 60 }, (_, index) => `document ${index}`)
  const vectors = await Promise.all(texts.map((text) => backend.embed!([text], 'document')))
  expect(vectors).toHaveLength(60)
  expect(service).toMatchObject({ answered: 60, most: 2 })
  expect(service.refused).toBeGreaterThan(0)
})
