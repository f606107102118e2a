import { expect, it } from 'vitest'
import { messageText } from '../../../../contract/http/chat.ts'
import { COMPLETION } from '../../../../tests/helpers/openai-backend.ts'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import { ModelCallError, type RoleChatRequest } from '../../models/model-host.ts'
import type { ApproachServices } from '../approach.ts'
import { answerFrom } from './generate.ts'

const passages = Array.from({ length: 8 }, (_, place) => ({
  chunk: storedChunk(`d${place}`, `text ${place}`),
  score: 1 - place / 10,
}))

/** A model whose context holds so many passages. */
function modelOf(most: number) {
  const shown: number[] = []
  const chat = async (_role: string, { messages }: RoleChatRequest) => {
    const count = messageText(messages.at(-1)!).split('</passage>').length - 1
    shown.push(count)
    if (count > most) throw new ModelCallError('context_length_exceeded', 'light_gen', 'too long')
    return { ...COMPLETION, object: 'chat.completion' as const }
  }
  return { shown, services: { models: { chat } } as unknown as ApproachServices }
}

it('an answer is written from the first half of the passages, and half of that, where they are too long for the model', async () => {
  const { shown, services } = modelOf(2)
  const answer = await answerFrom('Which?', passages, services)
  expect(shown).toEqual([8, 4, 2])
  expect(answer).toMatchObject({ answer: 'hello', chunks: 2 })
  expect(answer.sources.map(({ document }) => document)).toEqual(['d0', 'd1'])
})

it('one passage that is too long is a failure of that name', async () => {
  const { shown, services } = modelOf(0)
  await expect(answerFrom('Which?', passages, services)).rejects.toMatchObject({ code: 'context_length_exceeded' })
  expect(shown).toEqual([8, 4, 2, 1])
})
