import { describe, expect, it } from 'vitest'
import type { ChatCompletion } from '../../../contract/http/chat.ts'
import { askForJson } from './ask-for-json.ts'
import { ModelCallError, type RoleChatRequest } from './model-host.ts'
import { parseKeywordsReply } from './prompts/keywords-task.ts'

const GOOD = '{"high_level":["ownership"],"low_level":["Ann"]}'
const asked: RoleChatRequest = { messages: [{ role: 'user', content: 'keywords, please' }], temperature: 0 }

type Scripted = { text: string; finish?: string; tokens?: number } | Error

/** A model that replies as scripted and keeps what it was asked. */
function scripted(...replies: Scripted[]) {
  const requests: RoleChatRequest[] = []
  return {
    requests,
    models: {
      async chat(_role: string, request: RoleChatRequest): Promise<ChatCompletion> {
        requests.push(request)
        const reply = replies[requests.length - 1]!
        if (reply instanceof Error) throw reply
        const { text: content, finish: finish_reason = 'stop', tokens = 10 } = reply
        return {
          id: 'test',
          object: 'chat.completion',
          created: 0,
          model: 'test',
          choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
          usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 },
        }
      },
    },
  }
}

const ask = ({ models }: ReturnType<typeof scripted>) => askForJson(models, 'graph_keyword', asked, parseKeywordsReply)

describe('asking a model for JSON', () => {
  it('asks once where the reply can be used', async () => {
    const model = scripted({ text: GOOD })
    expect(await ask(model)).toMatchObject({ ok: true })
    expect(model.requests).toEqual([asked])
  })

  it('sends a reply that cannot be used back with what is wrong', async () => {
    const model = scripted({ text: '{"keywords":["a"]}' }, { text: GOOD })
    expect(await ask(model)).toMatchObject({ ok: true })
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(model.requests[1]!.messages[2]!.content).toContain('cannot be used: high_level')
  })

  it('fails with the second reply, whatever the first one was', async () => {
    expect(await ask(scripted({ text: 'no' }, { text: 'never' }))).toMatchObject({ ok: false, code: 'no_json' })
  })

  it('asks with more room where the reply was cut, and names a reply that is cut again', async () => {
    const cut = { text: GOOD.slice(0, 30), finish: 'length', tokens: 3000 }
    const model = scripted(cut, { text: GOOD })
    expect(await ask(model)).toMatchObject({ ok: true })
    expect(model.requests[1]).toEqual({ ...asked, max_tokens: 6000 })
    expect(await ask(scripted(cut, cut))).toEqual({
      ok: false,
      code: 'cut_off',
      message: 'it was cut at its length limit after 3000 tokens',
    })
  })

  it.each([
    [0, 4096],
    [64, 1024],
    [600, 2400],
    [1500, 4096],
    [5000, 10_000],
  ])('gives a second try after %i tokens room for %i', async (tokens, room) => {
    const model = scripted({ text: '{"high', finish: 'length', tokens }, { text: GOOD })
    await ask(model)
    expect(model.requests[1]!.max_tokens).toBe(room)
  })

  it('accepts a reply that was cut after its object', async () => {
    expect(await ask(scripted({ text: `${GOOD} And so on`, finish: 'length' }))).toMatchObject({ ok: true })
  })

  it.each([
    ['that was cut', { text: '{"high', finish: 'length' }, 'cut_off'],
    ['that cannot be used', { text: 'no' }, 'no_json'],
  ])('reports a reply %s where the second request does not fit into the context', async (_name, reply, code) => {
    const full = new ModelCallError('context_length_exceeded', 'graph_keyword', 'the context holds 4096')
    expect(await ask(scripted(reply, full))).toMatchObject({ ok: false, code })
  })

  it('reports the cut reply where the service refuses to give more room', async () => {
    const refused = new ModelCallError('bad_request', 'graph_keyword', 'max_tokens is too large', { status: 400 })
    const model = scripted({ text: '{"high', finish: 'length' }, refused)
    expect(await ask(model)).toMatchObject({ ok: false, code: 'cut_off' })
    await expect(ask(scripted({ text: 'no' }, refused))).rejects.toBe(refused)
  })
})
