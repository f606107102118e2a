import { expect, it } from 'vitest'
import { fakeModelHost } from '../../../tests/helpers/fake-model-host.ts'
import { meterCalls } from './call-meter.ts'

/** A host whose answers report their token times in turn; null reports none. */
function timedHost(reports: readonly ({ predicted_n: number; predicted_ms: number } | null)[]) {
  const host = fakeModelHost({ chat: () => 'yes' })
  const chat = host.chat.bind(host)
  let call = 0
  host.chat = async (...args) => {
    const timings = reports[call++]
    return { ...(await chat(...args)), ...(timings === null ? {} : { timings }) }
  }
  return host
}

async function countsOf(reports: Parameters<typeof timedHost>[0]) {
  const meter = meterCalls(timedHost(reports))
  for (const _ of reports) await meter.models.chat('light_gen', { messages: [] })
  return meter.counts()
}

it('tokens per second are those of every call that reports them, without first tokens', async () => {
  const counts = await countsOf([{ predicted_n: 11, predicted_ms: 100 }, null, { predicted_n: 31, predicted_ms: 300 }])
  expect(counts.tokensPerSecond).toBe(100)
})

it('the time to the first token ends where the tokens of the last call began, and is unknown where that call reports none', async () => {
  expect((await countsOf([null, { predicted_n: 2, predicted_ms: 0 }])).firstTokenS).toBeGreaterThan(0)
  expect((await countsOf([{ predicted_n: 2, predicted_ms: 0 }, null])).firstTokenS).toBeNull()
  expect((await countsOf([null])).tokensPerSecond).toBeNull()
})
