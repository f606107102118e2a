import { describe, expect, it } from 'vitest'
import { hang, json, resetMidBody, text, type Behaviour } from '../../tests/helpers/fault-server.ts'
import { completion, gradeByText, gradingBy, shownPrompt } from '../../tests/helpers/judge-panel.ts'
import { createGatewayClient } from '../lib/services/gateway-client.ts'
import { createChatJudge, type ChatJudgeOptions } from './chat-judge.ts'
import { JudgePanelSettings } from '../../contract/manifests/evaluation.ts'
import type { JudgeTask } from '../../core/judging/judge-task.ts'
import { leakScan } from './leak-scan.ts'
import { suiteFaultServer } from '../../tests/helpers/test-server.ts'

const task: JudgeTask = {
  question: 'How far does the lock rise?',
  reference: null,
  answerable: true,
  evidence: [],
  answers: [
    { letter: 'A', text: 'Four metres.', answered: true },
    { letter: 'B', text: 'Nobody knows.', answered: true },
  ],
  token: '3f9c12ab77de',
}
const verdict = JSON.stringify({ check: task.token, scores: { A: 5, B: 1 }, best: 'A', reasons: { A: 'x', B: 'y' } })
const sends = (content: unknown): Behaviour => json({ ...completion(''), choices: [{ message: { content } }] })

const server = await suiteFaultServer()

const ask = async (changes: Partial<ChatJudgeOptions> = {}, asked = task, signal?: AbortSignal) => {
  const judge = createChatJudge({
    model: 'qwen3:8b',
    family: 'alibaba',
    client: createGatewayClient({ url: server.url, apiKey: 'secret' }),
    isPlatformGateway: true,
    endpoint: server.url,
    temperature: 0,
    think: null,
    scan: leakScan([]),
    timeoutMs: 5000,
    backoffMs: 1,
    ...changes,
  })
  try {
    return await judge.judge(asked, signal)
  } finally {
    await judge.close()
  }
}
const sent = (index = 0): Record<string, unknown> => JSON.parse(server.requests[index]!.body) as Record<string, unknown>

describe('what is sent', () => {
  it('to the platform gateway: standard fields, thinking as set, and cache controls', async () => {
    server.script(sends(verdict))
    expect(await ask({ think: false, temperature: 0.5 })).toMatchObject({ ok: true, attempts: 1 })
    expect(Object.keys(sent()).sort()).toEqual([
      'cache',
      'max_tokens',
      'messages',
      'model',
      'stream',
      'temperature',
      'think',
    ])
    expect(sent()).toMatchObject({
      model: 'qwen3:8b',
      temperature: 0.5,
      stream: false,
      think: false,
      cache: { 'no-cache': true, 'no-store': true },
    })
    expect(server.requests[0]!.path).toBe('/v1/chat/completions')
    expect(server.requests[0]!.headers.authorization).toBe('Bearer secret')
  })

  it('to a generic endpoint: standard fields alone, and think only when it is explicit', async () => {
    server.script(sends(verdict))
    await ask({ isPlatformGateway: false })
    expect(Object.keys(sent()).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream', 'temperature'])
    await ask({ isPlatformGateway: false, think: true })
    expect(Object.keys(sent(1)).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream', 'temperature', 'think'])
  })

  it('holds no temperature where the manifest has null for it', async () => {
    server.script(sends(verdict))
    await ask({ isPlatformGateway: false, temperature: null })
    expect(Object.keys(sent()).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream'])
    expect(JudgePanelSettings.parse({ enabled: true, models: [], temperature: null }).temperature).toBeNull()
  })

  it('goes to the whole address of a chat route as it is', async () => {
    server.script(sends(verdict))
    await ask({ client: createGatewayClient({ url: `${server.url}/api/v4/chat/completions`, apiKey: null }) })
    expect(server.requests[0]!.path).toBe('/api/v4/chat/completions')
  })

  it('the reference only when the task has it', async () => {
    server.script(sends(verdict))
    await ask()
    await ask({}, { ...task, reference: 'Four metres, says the author.' })
    expect(server.requests[0]!.body).not.toContain('says the author')
    expect(server.requests[1]!.body).toContain('says the author')
  })
})

describe('the limit of tokens', () => {
  const overflow = json(
    {
      error: {
        message:
          "This model's maximum context length is 6000 tokens. However, you requested 9192 tokens (1000 in the messages, 8192 in the completion).",
      },
    },
    400,
  )

  it('is sent with each verdict, and is what the window leaves after a refusal that names both sizes', async () => {
    server.script(overflow, sends(verdict))
    const small = { isPlatformGateway: false, model: 'small-window' }
    expect(await ask(small)).toMatchObject({ ok: true, attempts: 1 })
    expect([sent(0)['max_tokens'], sent(1)['max_tokens']]).toEqual([8192, 5000])
    server.requests.length = 0
    server.script(sends(verdict))
    await ask(small)
    expect(server.requests).toHaveLength(1)
    expect(sent()['max_tokens']).toBeLessThan(6000)
    expect(sent()['max_tokens']).toBeGreaterThan(4000)
  })

  it('has the name that the endpoint takes', async () => {
    server.script(
      json({ error: { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." } }, 400),
      sends(verdict),
    )
    expect(await ask({ isPlatformGateway: false, model: 'o-style' })).toMatchObject({ ok: true, attempts: 1 })
    expect(sent(1)).toMatchObject({ max_completion_tokens: 8192 })
    expect(sent(1)).not.toHaveProperty('max_tokens')
  })

  it.each(['<think>', '[THINK]', '<seed:think>', '<|channel|>analysis<|message|>'])(
    'leaves no verdict where it cut the reasoning before one: %s',
    async (open) => {
      server.script(json({ choices: [{ finish_reason: 'length', message: { content: `${open}Perhaps ${verdict}` } }] }))
      expect(await ask()).toMatchObject({
        ok: false,
        code: 'invalid_verdict',
        message: 'it holds no JSON object with "scores"; the reply was cut by a limit of tokens',
      })
    },
  )

  it('is named where it cut a verdict', async () => {
    server.script(
      json({ choices: [{ finish_reason: 'length', message: { content: '{"check": "3f9c12ab77de", "sco' } }] }),
    )
    expect(await ask()).toMatchObject({
      ok: false,
      code: 'invalid_verdict',
      message: 'it holds no JSON object with "scores"; the reply was cut by a limit of tokens',
    })
  })
})

describe('a reply', () => {
  it('may come in text parts', async () => {
    server.script(sends([{ type: 'text', text: verdict }]))
    expect(await ask()).toMatchObject({ ok: true, verdict: { best: 'A' } })
  })

  it('that cannot be read gets one repair try, which reports what was wrong', async () => {
    server.script(sends('{"scores": {"A": 5}, "best": "A"}'), sends(verdict))
    expect(await ask()).toMatchObject({ ok: true, attempts: 2 })
    expect(sent(0)['messages']).not.toEqual(sent(1)['messages'])
    expect(shownPrompt(server.requests[1]!.body).text).toContain('An earlier reply could not be used: no grade for B.')
  })

  it('that stays unreadable is a typed failure after two tries', async () => {
    server.script(sends('I like A.'))
    expect(await ask()).toEqual({
      ok: false,
      code: 'invalid_verdict',
      message: 'it holds no JSON object with "scores"',
      attempts: 2,
      // The service reports no tokens, so that those of both tries are estimated.
      usage: expect.objectContaining({ model: 'qwen3:8b', calls: 2, unreported: 0, estimated: 2 }),
    })
    expect(server.requests).toHaveLength(2)
  })
})

describe('a faulty endpoint is a typed failure:', () => {
  it.each<[string, Behaviour, string, number]>([
    ['hangs', hang, 'timeout', 2],
    ['resets mid-body', resetMidBody, 'connection_failed', 2],
    ['500', json({ error: { message: 'boom' } }, 500), 'http_error', 2],
    ['409', json({ error: { message: 'busy' } }, 409), 'http_error', 2],
    ['401', json({ error: { message: 'no' } }, 401), 'access_refused', 1],
    ['502 for a refused key', json({ error: { message: 'no', code: 'unauthorized' } }, 502), 'access_refused', 1],
    ['429, no credit', json({ error: { message: 'You exceeded your current quota' } }, 429), 'access_refused', 1],
    ['404, no such model', json({ error: { message: 'no model' } }, 404), 'http_error', 1],
    ['HTML', text('<html>oops</html>'), 'invalid_response', 2],
    ['empty body', text(''), 'invalid_response', 2],
    ['no choices', json({ id: 'x' }), 'invalid_response', 2],
    ['empty choices', json({ choices: [] }), 'invalid_response', 2],
    ['null content', sends(null), 'invalid_verdict', 2],
    ['a number as content', sends(7), 'invalid_response', 2],
    ['half a JSON body', json('{"choices": [{"message"'), 'invalid_response', 2],
    ['20 MB', text(`"${'x'.repeat(20 * 1024 * 1024)}"`, 200, 'application/json'), 'invalid_response', 2],
  ])('%s', async (_, behaviour, code, attempts) => {
    server.script(behaviour)
    const reply = await ask({ timeoutMs: code === 'timeout' ? 1000 : 5000 })
    expect(reply).toMatchObject({ ok: false, code, attempts })
    expect(server.requests).toHaveLength(attempts)
  })

  it('429 for longer than a try may take', async () => {
    server.script(json({ error: { message: 'slow down' } }, 429, { 'retry-after': '3' }))
    expect(await ask({ timeoutMs: 1000 })).toMatchObject({ ok: false, code: 'rate_limited', attempts: 2 })
    expect(server.requests).toHaveLength(1)
  })

  it('an address without a listener', async () => {
    const client = createGatewayClient({ url: 'http://127.0.0.1:9', apiKey: null })
    expect(await ask({ client, timeoutMs: 5000 })).toMatchObject({ ok: false, code: 'connection_failed', attempts: 2 })
  })

  it('and a fault that is gone at the second try costs nothing', async () => {
    server.script(json({}, 503), gradingBy(gradeByText))
    expect(await ask()).toMatchObject({ ok: true, attempts: 2 })
  })
})

it('sends no prompt that leaks, not even one that was not scanned before', async () => {
  server.script(sends(verdict))
  const answers = [{ letter: 'A', text: 'As hybrid-rag I say four.', answered: true }]
  expect(await ask({}, { ...task, answers })).toEqual({
    ok: false,
    code: 'prompt_blocked',
    message: 'the prompt was not sent: it holds alias "hybrid-rag"',
    attempts: 0,
  })
  expect(server.requests).toEqual([])
})

it('sends a prompt although an alias is a word of the form', async () => {
  server.script(sends(verdict))
  expect(await ask({ scan: leakScan(['best', 'one', 'answer', 'question']) })).toMatchObject({ ok: true })
  const answers = [{ letter: 'A', text: 'As brisk I say four.', answered: true }]
  expect(await ask({ scan: leakScan(['best', 'brisk']) }, { ...task, answers })).toMatchObject({
    code: 'prompt_blocked',
  })
})

it('stops when it is aborted', async () => {
  const stop = new AbortController()
  server.script(() => stop.abort())
  await expect(ask({ timeoutMs: 60_000 }, task, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})
