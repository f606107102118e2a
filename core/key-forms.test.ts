import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serviceOfKeyIn } from './key-forms.ts'

const letters = (count: number): string => 'Ab3dEf6hIj9kLm2nOp5qRs8t'.repeat(4).slice(0, count)

describe('serviceOfKeyIn', () => {
  it.each([
    ['OpenAI, Anthropic or OpenRouter', `sk-${letters(48)}`],
    ['OpenAI, Anthropic or OpenRouter', `sk-proj-${letters(40)}_${letters(20)}`],
    ['OpenAI, Anthropic or OpenRouter', `sk-ant-api03-${letters(90)}`],
    ['Google', `AIza${letters(35)}`],
    ['AWS', 'AKIA2E7XQ4M9TB6ZL0WD'],
    ['GitHub', `ghp_${letters(36)}`],
    ['Hugging Face', `hf_${letters(34)}`],
    ['private', '-----BEGIN RSA PRIVATE KEY-----'],
  ])('finds a key of %s', (service, key) => {
    const texts = [`the key is ${key}.`, JSON.stringify({ answer: `wrong:\n${key}\nsorry` }), `a=${key}&b=1`]
    expect(texts.map(serviceOfKeyIn)).toEqual([service, service, service])
  })

  it.each([
    'sk-short',
    `task-${letters(48)}`,
    `risk-based-and-then-some-more-words-in-a-row-of-a-title`,
    `AKIA2E7XQ4M9TB6ZL0WDX`,
    `"row_id":"${'0f3c9a7e51d84b26'.repeat(4)}"`,
    'a -----BEGIN CERTIFICATE-----',
  ])('finds none in %s', (text) => {
    expect(serviceOfKeyIn(text)).toBeNull()
  })

  it('finds none in the documents that come with the program', () => {
    const files = readdirSync('corpus', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const found = files.filter(
      (entry) => serviceOfKeyIn(readFileSync(join(entry.parentPath, entry.name), 'latin1')) !== null,
    )
    expect(found.map(({ name }) => name)).toEqual([])
    expect(files.length).toBeGreaterThan(50)
  })
})
