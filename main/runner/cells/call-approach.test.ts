import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { paceExchange, waitedFor } from '../../../core/http/pace-exchange.ts'
import { hang, json, resetMidBody, text } from '../../../tests/helpers/fault-server.ts'
import { createGatewayClient, MAX_RESPONSE_BYTES, type GatewayClient } from '../../lib/services/gateway-client.ts'
import { callApproach, type CellCall } from './call-approach.ts'
import { suiteFaultServer, testFaultServer } from '../../../tests/helpers/test-server.ts'

const server = await suiteFaultServer()
let client: GatewayClient
beforeEach(() => {
  client = createGatewayClient({ url: server.url, apiKey: 'secret' })
})
afterEach(() => client.close())

const extension = {
  schema_version: 1,
  answer: 'The lock was opened in 1904.',
  sources: [{ title: 'lock.md', snippet: 'The lock', score: 0.9, text: 'The lock was opened in May 1904.' }],
  metrics: { seconds: 0.1, chunks: 1, llm_calls: 1, cloud_calls: 0 },
}
const completion = (content: string | null, extra: object = { rag_extension: extension }) => ({
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'vanilla-rag',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  ...extra,
})
const call = (more: Partial<CellCall> = {}): CellCall => ({
  model: 'vanilla-rag',
  query: 'When?',
  capability: 'answer_with_contexts',
  timeoutMs: 5000,
  retries: 0,
  ...more,
})

describe('a good answer', () => {
  it('keeps answer, full context text, usage and metrics, and asks for no cached answer', async () => {
    server.script(json(completion('The lock was opened in 1904.')))
    const answer = await callApproach(client, call())
    expect(answer).toMatchObject({
      ok: true,
      evidence: {
        answer: 'The lock was opened in 1904.',
        contexts: ['The lock was opened in May 1904.'],
        token_usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
        transport: 'structured',
        server_metrics: extension.metrics,
      },
      attempts: [{ outcome: 'ok', http_status: 200, waited_ms: 0 }],
    })
    expect(server.requests[0]!.headers.authorization).toBe('Bearer secret')
    expect(JSON.parse(server.requests[0]!.body)).toEqual({
      model: 'vanilla-rag',
      messages: [{ role: 'user', content: 'When?' }],
      stream: false,
      cache: { 'no-cache': true, 'no-store': true },
    })
  })

  it('invents no contexts for an answer-only approach', async () => {
    server.script(json(completion('x')))
    const answer = await callApproach(client, call({ capability: 'answer_only' }))
    expect(answer).toMatchObject({ ok: true, evidence: { contexts: [], sources: [{ title: 'lock.md' }] } })
  })

  it('makes no context of a source without text, such as a delegate’s graph marker', async () => {
    const marker = { title: 'knowledge graph (hybrid)', snippet: '', score: 1, kind: 'knowledge_graph' }
    server.script(json(completion('x', { rag_extension: { ...extension, sources: [marker] } })))
    const answer = await callApproach(client, call())
    expect(answer).toMatchObject({ ok: true, evidence: { contexts: [], sources: [marker] } })
  })

  it('survives NUL, lone surrogates and terminal escapes in an answer unchanged', async () => {
    const nasty = 'a\u0000b \ud800 \u001b[31m<script>'
    server.script(json(completion(nasty, { rag_extension: { ...extension, answer: nasty } })))
    const answer = await callApproach(client, call())
    expect(answer.ok && answer.evidence.answer).toBe(nasty)
  })
})

describe('a faulty gateway ends in a typed failure', () => {
  const faults: [string, () => void, object][] = [
    ['500', () => server.script(json({ detail: 'boom' }, 500)), { type: 'http_error', message: 'HTTP 500: boom' }],
    [
      '400',
      () => server.script(json({ error: { message: 'no such model' } }, 400)),
      { type: 'http_error', message: 'HTTP 400: no such model' },
    ],
    ['429', () => server.script(json({ detail: 'slow down' }, 429)), { type: 'rate_limited' }],
    ['HTML', () => server.script(text('<html>proxy</html>')), { type: 'invalid_response' }],
    ['no choices', () => server.script(json({ id: 'x' })), { type: 'invalid_response' }],
    ['empty choices', () => server.script(json({ ...completion('x'), choices: [] })), { type: 'invalid_response' }],
    [
      'empty answer',
      () => server.script(json(completion('', {}))),
      { type: 'invalid_response', message: 'the answer is empty' },
    ],
    [
      'truncated SSE',
      () => server.script(text('data: {"id":"x","cho', 200, 'text/event-stream')),
      { type: 'invalid_response' },
    ],
    ['reset mid-body', () => server.script(resetMidBody), { type: 'connection_reset' }],
    [
      'wrong schema version',
      () => server.script(json(completion('x', { rag_extension: { ...extension, schema_version: 2 } }))),
      { type: 'schema_mismatch' },
    ],
    [
      'broken extension',
      () => server.script(json(completion('x', { rag_extension: { ...extension, sources: 'none' } }))),
      { type: 'schema_mismatch' },
    ],
  ]
  it.each(faults)('%s', async (_name, arrange, error) => {
    arrange()
    const answer = await callApproach(client, call())
    expect(answer).toMatchObject({ ok: false, error })
    expect(answer.attempts).toHaveLength(1)
  })

  it('hangs → timeout', async () => {
    server.script(hang)
    const message = expect.stringMatching(/within the time limit\. Raise the time limit of an answer/)
    expect(await callApproach(client, call({ timeoutMs: 100 }))).toMatchObject({
      ok: false,
      error: { type: 'timeout', message },
    })
  })

  it.each([
    ['a page at a wrong address', text('<html>proxy</html>')],
    [
      'what the gateway marks as not to be repeated',
      json({ error: { message: 'x' } }, 502, { 'x-should-retry': 'false' }),
    ],
  ])('is asked once for %s', async (_what, behaviour) => {
    server.script(behaviour)
    expect((await callApproach(client, call({ retries: 1 }))).attempts).toHaveLength(1)
  })

  it('refuses the connection', async () => {
    const gone = await testFaultServer()
    await gone.close()
    const other = createGatewayClient({ url: gone.url, apiKey: null })
    expect(await callApproach(other, call())).toMatchObject({ ok: false, error: { type: 'connection_failed' } })
    await other.close()
  })

  it('answers 50 MB', async () => {
    server.script(text(Buffer.alloc(50 * 1024 * 1024, 'x')))
    const answer = await callApproach(client, call())
    expect(answer).toMatchObject({
      ok: false,
      error: { type: 'response_too_large', message: expect.stringContaining(`${MAX_RESPONSE_BYTES}`) },
    })
  })
})

describe('retries', () => {
  it('are recorded attempts, with the wait that Retry-After asked for', async () => {
    server.script(json({}, 429, { 'retry-after': '0' }), json({ detail: 'x' }, 503, {}), json(completion('done')))
    const answer = await callApproach(client, call({ retries: 2 }))
    expect(answer.ok).toBe(true)
    expect(answer.attempts.map(({ outcome, http_status }) => [outcome, http_status])).toEqual([
      ['rate_limited', 429],
      ['http_error', 503],
      ['ok', 200],
    ])
    expect(answer.attempts[1]!.waited_ms).toBe(0)
    // What was waited is measured: a busy machine wakes a little later than it was asked to.
    expect(answer.attempts[2]!.waited_ms).toBeGreaterThanOrEqual(1000)
    expect(answer.attempts[2]!.waited_ms).toBeLessThan(2000)
  })

  it('do not repeat what will be refused again', async () => {
    server.script(json({ detail: 'bad' }, 422))
    await callApproach(client, call({ retries: 5 }))
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['attempts that hang', () => server.script(hang), 'timeout'],
    [
      'a wait that Retry-After asks for',
      () => server.script(json({ detail: 'slow down' }, 429, { 'retry-after': '5' })),
      'rate_limited',
    ],
  ])('are inside the time limit of the cell: %s', async (_what, arrange, type) => {
    arrange()
    const started = performance.now()
    const answer = await callApproach(client, call({ timeoutMs: 400, retries: 5 }))
    expect(performance.now() - started).toBeLessThan(2000)
    expect(answer).toMatchObject({ ok: false, error: { type } })
    expect(answer.attempts).toHaveLength(1)
    if (type === 'rate_limited')
      expect((answer as { error: { message: string } }).error.message).toMatch(
        /^slow down; ask for fewer answers at once, .*; the time limit of an answer/,
      )
  })

  it('share what is left of the time limit', async () => {
    server.script(json({ detail: 'x' }, 503, {}), hang)
    const answer = await callApproach(client, call({ timeoutMs: 1500, retries: 5 }))
    expect(answer).toMatchObject({ ok: false, error: { type: 'timeout' } })
    expect(answer.attempts.map(({ outcome }) => outcome)).toEqual(['http_error', 'timeout'])
    // Half a second was spent before the second attempt.
    expect(answer.attempts[1]!.latency_ms).toBeLessThan(1200)
  })

  it('stop when the run is cancelled while waiting', async () => {
    server.script(json({}, 429, { 'retry-after': '30' }))
    const stop = new AbortController()
    const pending = callApproach(client, call({ retries: 3, timeoutMs: 60_000, signal: stop.signal }))
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    expect(await pending).toMatchObject({ ok: false, error: { type: 'cancelled' } })
  })
})

it('an answer that the gateway does not give in time, because a model service limits its calls, is rate limited', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paces-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const waitsFor = (sinceMs: number) => waitedFor(folder, sinceMs)
  server.script(hang, hang)
  expect(await callApproach(client, call({ timeoutMs: 200, waitsFor }))).toMatchObject({ error: { type: 'timeout' } })
  paceExchange(folder, 'http://127.0.0.1:1').report({ pauseMs: 40_000, places: 1 })
  expect(await callApproach(client, call({ timeoutMs: 200, waitsFor }))).toMatchObject({
    error: {
      type: 'rate_limited',
      message: expect.stringMatching(
        /^the service at http:\/\/127\.0\.0\.1:1 limits its calls, and no answer came within the time limit; ask for fewer/,
      ),
    },
    attempts: [{ outcome: 'rate_limited' }],
  })
})
