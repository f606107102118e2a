import { expect, it } from 'vitest'
import { EDITABLE_PROMPTS, filledPrompt, NO_ANSWER, promptProblem, type EditablePrompt } from './prompts.ts'

it.each(Object.keys(EDITABLE_PROMPTS) as EditablePrompt[])(
  'the prompt %s of this project is usable as a text of a flavor',
  (name) => {
    const text = EDITABLE_PROMPTS[name].prompt.instructions.join('\n')
    expect(promptProblem(name, text)).toBeNull()
    expect(filledPrompt(text)).toContain(`reply with this sentence: ${NO_ANSWER}`)
  },
)

it.each([
  ['Answer <question> from <passage> blocks, or write {no_answer}', null],
  ['Answer <question>, or write {no_answer}', '<passage> is missing'],
  ['Answer from <passage> blocks.', '<question> and {no_answer} are missing'],
  [
    'Answer <question>\nfrom <passages>, or write {no_answer}',
    'line 2: <passages> is unknown, expected one of <passage>, <question>, {no_answer}',
  ],
  ['Answer <question> from <passage>\n\nor {refuse}', 'line 3: {refuse} is unknown'],
  ['In JSON such as {"a": 1}: <question> from <passage>, {no_answer}', null],
])('a text that replaces a prompt is checked: %j', (text, problem) => {
  expect(promptProblem('answer', text)).toEqual(problem === null ? null : expect.stringContaining(problem))
})
