import { expect, it, onTestFinished } from 'vitest'
import { startLimitedService } from '../../../tests/helpers/limited-service.ts'
import { createGatewayClient } from '../../lib/services/gateway-client.ts'
import { callApproach } from './call-approach.ts'

const COMPLETION = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Four metres.' } }],
}

it.each([
  ['429 with a pause', { status: 429, headers: { 'retry-after-ms': '40' } }],
  ['503 with a pause', { status: 503, headers: { 'retry-after-ms': '40' } }],
])('60 cells against a service that takes two calls at a time all complete: %s', async (_name, refusal) => {
  const service = await startLimitedService(COMPLETION, refusal)
  const client = createGatewayClient({ url: service.url, apiKey: null })
  onTestFinished(async () => {
    await client.close()
    await service.close()
  })
  const asked = { model: 'm', query: 'How far?', capability: 'answer_only', timeoutMs: 120_000, retries: 1 } as const
  const cells = await Promise.all(Array.from({ length: 60 }, () => callApproach(client, asked)))
  expect(cells.filter(({ ok }) => !ok)).toEqual([])
  expect(service).toMatchObject({ answered: 60, most: 2 })
  // A refusal is an attempt of its cell, and what it waited for is written down.
  const attempts = cells.flatMap((cell) => cell.attempts)
  expect(attempts).toHaveLength(60 + service.refused)
  expect(attempts.some(({ waited_ms: waited }) => waited >= 40)).toBe(true)
})
