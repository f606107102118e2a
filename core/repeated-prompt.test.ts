import { expect, it } from 'vitest'
import { repeatsPrompt } from './repeated-prompt.ts'

const BLOCK =
  '<passage>\n<number>\n6\n</number>\n<title>\nLocks\n</title>\n<text>\nThe lock rises by four metres.\n</text>\n</passage>'

it.each([
  ['blocks of passages', `${BLOCK}\n${BLOCK}`],
  ['a block that a limit cut', BLOCK.slice(0, 80)],
  ['a block after words that announce it', `The passage is:\n${BLOCK}`],
  ['the question', 'How far does the lock rise?'],
  ['question and passages', `<question>\nHow far does the lock rise?\n</question>\n${BLOCK}`],
  ['rules of the prompt', '- Be brief: one to four sentences of plain text, the answer first. No headings, no lists.'],
])('an answer that is nothing but %s repeats the prompt', (_what, answer) => {
  expect(repeatsPrompt(answer, 'How far does the lock rise?')).toBe(true)
})

it.each([
  ['a sentence of a passage', 'The lock rises by four metres.'],
  ['an answer before a block', `Four metres.\n\nThe passage is:\n${BLOCK}`],
  ['an answer after a block', `${BLOCK}\nFour metres.`],
  ['an answer in a tag of the prompt', 'The answer is:\n<text>\nFour metres.\n</text>'],
  ['words that a rule has, too', 'the answer first'],
  ['markup that is asked about', 'Use <passage> for a part of a book.'],
  ['the question with an answer', 'How far does the lock rise? Four metres.'],
])('%s is an answer', (_what, answer) => {
  expect(repeatsPrompt(answer, 'How far does the lock rise?')).toBe(false)
})
