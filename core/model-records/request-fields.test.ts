import { beforeEach, describe, expect, it } from 'vitest'
import { KnownModel } from './known-models.ts'

let known: KnownModel
beforeEach(() => {
  known = new KnownModel('http://service.test/v1', 'm', null)
})
const refused = (): string[] => Object.keys(known.record.refused)

const messages = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Hi' },
]
const body = {
  model: 'm',
  messages,
  temperature: 0,
  max_tokens: 50,
  stream: true,
  stream_options: { include_usage: true },
  response_format: { type: 'json_schema' },
  think: false,
  presence_penalty: 0,
  tools: [{ type: 'function', function: { name: 'search' } }],
}

/** Sentences as services send them, with the field that is left out afterwards. */
const REFUSALS: [service: string, status: number, text: string, param: string | null, field: string][] = [
  [
    'OpenAI, reasoning models',
    400,
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    'temperature',
    'temperature',
  ],
  [
    'OpenAI, reasoning models',
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'max_tokens',
    'max_tokens',
  ],
  ['Azure, an old version', 400, 'Unrecognized request argument supplied: stream_options', null, 'stream_options'],
  ['Gemini', 400, `Invalid JSON payload received. Unknown name "think": Cannot find field.`, null, 'think'],
  [
    'Mistral',
    422,
    '[{"type":"extra_forbidden","loc":["body","think"],"msg":"Extra inputs are not permitted"}]',
    null,
    'think',
  ],
  ['LM Studio', 400, "'response_format.type' must be 'json_schema' or 'text'", null, 'response_format'],
  ['llama.cpp', 400, 'Failed to parse grammar', null, 'response_format'],
  ['llama.cpp, older', 500, "'response_format.type' must be 'text'", null, 'response_format'],
  ['xAI', 400, 'Model grok-4 does not support parameter presencePenalty.', null, 'presence_penalty'],
  ['Azure', 400, 'Unrecognized request argument supplied: presence_penalty', null, 'presence_penalty'],
  [
    'OpenAI, GPT-5.4, without an effort',
    400,
    'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions.',
    'reasoning_effort',
    'tools',
  ],
  ['llama-cpp-python', 400, 'System role not supported', null, 'system'],
]

describe('a field that a service refuses', () => {
  it.each(REFUSALS)('%s: HTTP %i "%s" (param %s) leaves out %s', (_service, status, text, param, field) => {
    expect(known.learnRefusal({ status, text, param }, body)).toBe(true)
    expect(refused()).toEqual([field])
    const sent = known.fit(body)
    expect(sent[field]).toBeUndefined()
    // What is left asks for the same: a second refusal of that kind is about something else.
    expect(known.learnRefusal({ status, text, param }, sent)).toBe(false)
  })

  it('sends the limit of tokens under its newer name, and the system text with the first question', () => {
    known.learnRefusal({ status: 400, text: 'max_tokens is not supported', param: 'max_tokens' }, body)
    known.learnRefusal({ status: 400, text: 'System role not supported', param: null }, known.fit(body))
    expect(known.fit(body)).toMatchObject({
      max_completion_tokens: 50,
      messages: [{ role: 'user', content: 'Be short.\n\nHi' }],
    })
  })

  it.each([
    [400, 'the model is overloaded', null],
    [401, 'temperature', 'temperature'],
    [500, 'temperature out of range of the GPU', null],
    [null, 'temperature', null],
  ])('is none where the answer is about something else: %s %s', (status, text, param) => {
    expect(known.learnRefusal({ status, text, param }, body)).toBe(false)
    expect(known.fit(body)).toEqual(body)
  })
})

it.each([
  ['Groq', 400, '`max_tokens` must be less than or equal to `8192`, the maximum value'],
  ['Ollama Cloud', 400, "max_tokens (65536) exceeds model's maximum output tokens (8192) for model X"],
  [
    'OpenRouter',
    402,
    'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 8192',
  ],
])('a limit of tokens that a service finds too large: %s: is lowered to what it allows', (_service, status, text) => {
  const sent = { model: 'm', messages, max_tokens: 65_536 }
  expect(known.learnRefusal({ status, text, param: null }, sent)).toBe(true)
  expect(known.fit(sent)).toEqual({ model: 'm', messages, max_tokens: 8192 })
  expect(known.fit({ ...sent, max_tokens: 100 })).toMatchObject({ max_tokens: 100 })
  expect(refused()).toEqual([])
})
