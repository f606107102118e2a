import { expect, it } from 'vitest'
import { MAX_PROMPT_CHARACTERS, speechPrompt } from './speech-prompt.ts'

it('is every text whole where they fit, and the same share of each where they do not', () => {
  expect(speechPrompt([])).toBe('')
  expect(speechPrompt(['Locks.', 'Weirs.'])).toBe('Locks.\n\nWeirs.')
  const prompt = speechPrompt(['a'.repeat(MAX_PROMPT_CHARACTERS), 'b'.repeat(MAX_PROMPT_CHARACTERS)])
  expect(prompt.length).toBeLessThanOrEqual(MAX_PROMPT_CHARACTERS)
  expect([prompt.lastIndexOf('a') + 1, prompt.length - prompt.indexOf('b')]).toEqual([124_998, 124_998])
})
