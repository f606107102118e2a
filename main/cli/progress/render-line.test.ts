import { expect, it } from 'vitest'
import { errorText } from './render-line.ts'

it('breaks a message to the width, keeps its indentation, and leaves paths whole', () => {
  const path = `/home/somebody/${'long/'.repeat(20)}models.yaml`
  const message = `the platform cannot start:\n  ${path}: sets.openai: the environment variable OPENAI_API_KEY is not set (roles embed, light_gen)`
  expect(errorText(message, { color: false, columns: 60 }).split('\n')).toEqual([
    'error: the platform cannot start:',
    `  ${path}:`,
    '    sets.openai: the environment variable OPENAI_API_KEY is',
    '    not set (roles embed, light_gen)',
  ])
  expect(errorText('a\u001b[2Jb', { color: true, columns: 60 })).toBe('\u001b[31merror:\u001b[39m ab')
})
