import { describe, expect, it } from 'vitest'
import { tinyModels } from '../../../tests/helpers/fake-builtin-models.ts'
import { createBuiltinBackend } from './builtin-backend.ts'

const choice = { backend: 'builtin', model: 'rule-agent' } as const
const tool = (name: string) => ({ type: 'function' as const, function: { name } })

describe('tools', () => {
  const models = {
    ...tinyModels,
    answerBuiltinChat: (messages: readonly object[], tools: readonly string[] = []) =>
      messages.length > 2
        ? { text: 'done' }
        : { text: '', toolCalls: tools.map((name) => ({ tool: name, arguments: { query: 'x' } })) },
  }
  const backend = createBuiltinBackend(choice, models)

  it('are called as a chat model calls them, under ids that differ from turn to turn', async () => {
    const user = { role: 'user' as const, content: 'two words' }
    const first = await backend.chat!({ messages: [user], tools: [tool('a'), tool('b')] })
    expect(first.choices).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call-1-0', type: 'function', function: { name: 'a', arguments: '{"query":"x"}' } },
            { id: 'call-1-1', type: 'function', function: { name: 'b', arguments: '{"query":"x"}' } },
          ],
        },
      },
    ])
    expect(first.usage!.prompt_tokens).toBe(2)
    expect(first.usage!.completion_tokens).toBeGreaterThan(0)
    const second = await backend.chat!({ messages: [user, user], tools: [tool('a')] })
    expect(second.choices[0]!.message.tool_calls![0]!.id).toBe('call-2-0')
  })

  it('are left alone when there is an answer', async () => {
    const user = { role: 'user' as const, content: 'x' }
    const { choices } = await backend.chat!({ messages: [user, user, user], tools: [tool('a')] })
    expect(choices).toEqual([{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }])
  })
})

describe('many short calls, each after the answer to the one before', () => {
  const busy = (): void => {
    const endMs = performance.now() + 1
    while (performance.now() < endMs);
  }
  const backend = createBuiltinBackend(choice, {
    ...tinyModels,
    embedText: (text) => {
      busy()
      return tinyModels.embedText(text)
    },
    answerBuiltinChat: () => {
      busy()
      return { text: 'done' }
    },
  })

  it.each([
    ['embed', () => backend.embed!(['text'], 'document')],
    ['chat', () => backend.chat!({ messages: [{ role: 'user', content: 'x' }] })],
  ])('let other requests run: %s', async (_, call) => {
    let turns = 0
    const everyTurn = (): void => {
      turns += 1
      next = setImmediate(everyTurn)
    }
    let next = setImmediate(everyTurn)
    for (let calls = 0; calls < 100; calls += 1) await call()
    clearImmediate(next)
    expect(turns).toBeGreaterThan(3)
  })
})
