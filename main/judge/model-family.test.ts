import { describe, expect, it } from 'vitest'
import { modelFamily } from './model-family.ts'

describe('modelFamily', () => {
  it.each([
    ['qwen3:8b', 'alibaba'],
    ['qwen2.5-72b-instruct', 'alibaba'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'meta'],
    ['openrouter/anthropic/claude-sonnet-4', 'anthropic'],
    ['gpt-4.1-mini', 'openai'],
    ['o3-mini', 'openai'],
    ['openai/gpt-oss:20b', 'openai'],
    ['gemma3:27b', 'google'],
    ['gemini-2.5-pro', 'google'],
    ['deepseek-r1-distill-llama-70b', 'deepseek'],
    ['judge-mistral', 'mistral'],
    ['acme-large', 'acme'],
    ['acme-small', 'acme'],
    ['judge-1', 'judge'],
    ['builtin-lexical-support', 'builtin-lexical'],
    ['builtin-semantic-match', 'builtin-semantic'],
    ['constructor', 'constructor'],
  ])('of %s is %s', (name, family) => {
    expect(modelFamily(name)).toBe(family)
  })

  it('is what was declared, where it was', () => {
    expect(modelFamily('judge-1', { 'judge-1': 'alibaba' })).toBe('alibaba')
    expect(modelFamily('toString', {})).toBe('tostring')
  })
})
