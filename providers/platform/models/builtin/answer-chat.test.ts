import { describe, expect, it } from 'vitest'
import { renderAnswerTask } from '../prompts/answer-task.ts'
import { renderBlurbTask } from '../prompts/blurb-task.ts'
import { parseClassifyReply, renderClassifyTask } from '../prompts/classify-task.ts'
import { parseExtractReply, renderExtractTask } from '../prompts/extract-task.ts'
import { parseKeywordsReply, renderKeywordsTask } from '../prompts/keywords-task.ts'
import { answerBuiltinChat, NOT_A_CHAT_MODEL } from './answer-chat.ts'
import { countTokens } from '../../../../contract/evidence/count-tokens.ts'

const passage = { title: 'Merrin', text: 'Merrin Light was designed by Ruth Hale.' }

describe('answerBuiltinChat', () => {
  it('carries out each task and replies in the form that was asked for', () => {
    expect(
      answerBuiltinChat(renderAnswerTask({ question: 'Who designed Merrin Light?', passages: [passage] })).text,
    ).toBe(passage.text)
    expect(
      answerBuiltinChat(
        renderBlurbTask({
          documentTitle: 'Merrin',
          headings: [],
          before: '',
          document: passage.text,
          chunk: 'It is white.',
        }),
      ).text,
    ).toContain('Merrin')
    const routes = [{ name: 'graph', description: 'relations' }]
    expect(
      parseClassifyReply(answerBuiltinChat(renderClassifyTask({ question: 'Who?', routes })).text, routes),
    ).toMatchObject({ ok: true })
    expect(parseKeywordsReply(answerBuiltinChat(renderKeywordsTask({ question: 'Who is Ruth Hale?' })).text)).toEqual({
      ok: true,
      value: { high_level: [], low_level: ['Ruth Hale'] },
    })
    const extraction = parseExtractReply(answerBuiltinChat(renderExtractTask(passage)).text)
    expect(extraction.ok && extraction.value.relations.map(({ source, target }) => [source, target])).toEqual([
      ['Ruth Hale', 'Merrin Light'],
    ])
  })

  it('answers the same messages with the same text', () => {
    const messages = renderAnswerTask({ question: 'Who designed Merrin Light?', passages: [passage, passage] })
    expect(answerBuiltinChat(messages)).toEqual(answerBuiltinChat(messages))
  })

  it('states that it is no chat model', () => {
    expect(answerBuiltinChat([{ role: 'user', content: 'Hello!' }])).toEqual({ text: NOT_A_CHAT_MODEL })
    expect(answerBuiltinChat([])).toEqual({ text: NOT_A_CHAT_MODEL })
  })
})

it('countTokens grows with words, long words, digits and marks', () => {
  expect(['', 'one', 'one two', 'internationally', '123456', 'a, b!'].map(countTokens)).toEqual([0, 1, 2, 3, 2, 4])
})
