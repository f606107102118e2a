import type { ModelHost } from '../models/model-host.ts'
import { countTry, withWaitClock } from '../models/model-waits.ts'
import { setTimeout as delay } from 'node:timers/promises'
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

it('takes the time of the first piece where a streamed call reports no times', async () => {
  const host = fakeModelHost()
  const usage = { prompt_tokens: 1, completion_tokens: 5, total_tokens: 6 }
  host.chat = async (_role, _request, _signal, onText) => {
    await delay(20)
    onText?.('An')
    await delay(20)
    return { ...(await fakeModelHost().chat('light_gen', { messages: [] })), usage }
  }
  const meter = meterCalls(host)
  await meter.models.chat('light_gen', { messages: [] })
  const { firstTokenS, tokensPerSecond } = meter.counts()
  expect(firstTokenS).toBeGreaterThan(0.015)
  // Four tokens after the first, in at least 15 ms.
  expect(tokensPerSecond).toBeLessThan(4 / 0.015)
})

it('counts replies that fit their JSON schema, of models but not of rules, and tokens of reasoning', async () => {
  const replies = ['{"a": "x"}', 'no JSON', '{"a": 1}']
  const host = fakeModelHost({ chat: (_role, _request, call) => replies[call - 1] ?? '{}', builtin: ['graph_keyword'] })
  const chat = host.chat.bind(host)
  const usage = {
    prompt_tokens: 1,
    completion_tokens: 9,
    total_tokens: 10,
    completion_tokens_details: { reasoning_tokens: 4 },
  }
  host.chat = async (...args) => ({ ...(await chat(...args)), usage })
  const meter = meterCalls(host)
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  for (const _ of replies) await meter.models.chat('light_gen', { messages: [], reply_schema: schema })
  await meter.models.chat('graph_keyword', { messages: [], reply_schema: schema })
  expect(meter.counts()).toMatchObject({ schemaReplies: 3, validSchemaReplies: 1, reasoningTokens: 16 })
})

it('counts each try of a call as a call of its service, and once as a call of the approach', async () => {
  const known = fakeModelHost()
  const thrice = <Result>(result: Result): Result => {
    for (let sent = 0; sent < 3; sent += 1) countTry()
    return result
  }
  const host: ModelHost = {
    ...known,
    chat: (...asked) => thrice(known.chat(...asked)),
    embed: (...asked) => thrice(known.embed(...asked)),
    rerank: (...asked) => thrice(known.rerank(...asked)),
  }
  const meter = meterCalls(host)
  await withWaitClock(async () => {
    await meter.models.embed('embed', ['x'], 'query')
    await meter.models.rerank('x', ['y'])
    await meter.models.chat('light_gen', { messages: [] })
  })
  const { llmCalls, modelUsage } = meter.counts()
  expect([llmCalls, modelUsage.map(({ calls }) => calls)]).toEqual([1, [3, 3, 3]])
})
