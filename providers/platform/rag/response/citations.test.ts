import { expect, it } from 'vitest'
import { fakeModelHost, toolCall, type FakeModelHostOptions } from '../../../../tests/helpers/fake-model-host.ts'
import { ragFixture, WORLD } from '../../../../tests/helpers/rag-fixture.ts'

const never = () => Promise.reject(new Error('not asked'))

async function asked(alias: string, options: FakeModelHostOptions) {
  const fixture = await ragFixture(fakeModelHost(options), WORLD, { graph: { answer: never, find: never } })
  const messages = [{ role: 'user' as const, content: 'Who was master of the Grey Heron?' }]
  return (await fixture.plugin.answer(alias, { model: alias, messages })).rag_extension!
}

it('citations are checked against the passages that were handed over, and an unknown number is listed, not an error', async () => {
  const extension = await asked('vanilla-rag', { chat: () => 'It was Ann [1]. She left in 1904 [99][1].' })
  expect(extension.answer).toBe('It was Ann [1]. She left in 1904 [99][1].')
  expect(extension.citations).toEqual({ cited: [{ number: 1, title: expect.any(String), context: 1 }], missing: [99] })
})

it('an agent cites passages by the numbers that its tools gave them', async () => {
  const chat = (_role: string, { messages }: { messages: readonly unknown[] }) =>
    messages.length === 2 ? { toolCalls: [toolCall('vector_search', { query: 'Grey Heron' })] } : 'It was Ann [1][77].'
  const { citations } = await asked('agentic-rag', { chat })
  expect(citations).toEqual({
    cited: [{ number: 1, title: expect.any(String), context: expect.any(Number) }],
    missing: [77],
  })
})

it('rules cite nothing, so that brackets of a text are no citations', async () => {
  expect(await asked('vanilla-rag', { chat: () => 'See note [3].', builtin: ['light_gen'] })).not.toHaveProperty(
    'citations',
  )
})
