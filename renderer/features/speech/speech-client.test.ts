import { afterEach, expect, it, vi } from 'vitest'
import { askApproach } from './speech-client.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it.each(['<think>Sky?</think>\n\nBlue.', 'Sky?\n</think>Blue.'])(
  'does not speak the reasoning of an answer: %j',
  async (content) => {
    const message = { role: 'assistant', content }
    const body = {
      id: '1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message }],
    }
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined })
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json(body)))
    expect(await askApproach('m', 'Why?', new AbortController().signal)).toMatchObject({ text: 'Blue.' })
  },
)
