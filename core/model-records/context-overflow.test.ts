import { expect, it } from 'vitest'
import { overflowIn } from './context-overflow.ts'

it.each([
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    8192,
    9001,
  ],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion).",
    65_536,
    66_000,
  ],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131_072, 140_000],
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', 200_000, 210_000],
  ['llama.cpp', 'request (1176 tokens) exceeds the available context size (600 tokens), try increasing it', 600, 1176],
  [
    'vLLM',
    "You passed 4000 input tokens and requested 4096 output tokens. However, the model's context length is only 8,000 tokens.",
    8000,
    4000,
  ],
  ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000],
  ['Ollama', 'the input length exceeds the context length', null, null],
])('what a refusal says of the window: %s: %s', (_service, text, window, prompt) => {
  expect(overflowIn(text)).toEqual({ window, prompt })
})
