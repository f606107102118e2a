import { expect, it, onTestFinished } from 'vitest'
import { startLimitedService } from '../../../../tests/helpers/limited-service.ts'
import { modelCall, withWaitClock } from '../model-waits.ts'
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
  const tries = { count: 0 }
  const waitedMs = await Promise.all(
    texts.map((text) =>
      withWaitClock(async (clock) => {
        await modelCall(() => backend.embed!([text], 'document'), tries)
        return clock.waitedMs
      }),
    ),
  )
  expect(waitedMs.filter((waited) => waited >= 40).length).toBeGreaterThan(30)
  expect(service).toMatchObject({ answered: 60, most: 2 })
  expect(service.refused).toBeGreaterThan(0)
  expect(tries.count).toBe(service.answered + service.refused)
})
