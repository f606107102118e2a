import { expect, it } from 'vitest'
import { otherModel } from './answering-model.ts'

it.each([
  ['gpt-5', 'gpt-5-2026-01-01'],
  ['gpt-4o-latest', 'gpt-4o-2024-11-20'],
  ['claude-sonnet-4', 'anthropic/claude-sonnet-4-20250514'],
  ['gemini-2.5-flash', 'models/gemini-2.5-flash-preview-05-20'],
  ['mistral-large-latest', 'mistral-large-2411'],
  ['qwen3', 'qwen3:latest'],
  ['x/llama-3.1:free', 'x/llama-3.1'],
  ['Qwen3-8B', '/models/qwen3-8b.gguf'],
  ['m', ''],
])('%s is the model that answers as "%s"', (asked, answered) => {
  expect(otherModel(asked, answered)).toBeNull()
})

it.each([
  ['gpt-5', 'gpt-5-mini'],
  ['gen', 'gpt-cheap'],
  ['llama3:70b', 'llama3:8b'],
  ['qwen3-32b', 'qwen3-8b'],
])('%s is not the model that answers as %s', (asked, answered) => {
  expect(otherModel(asked, answered)).toBe(answered)
})
