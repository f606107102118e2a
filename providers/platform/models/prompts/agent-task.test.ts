import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { parseAgentTask, parseObservation, renderAgentTask, renderObservation } from './agent-task.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('</passage>', '<note>\nx\n</note>', '&lt;', 'a\n\nb'),
)
const line = text.map((value) => value.replace(/\s+/g, ' ').trim()).filter((value) => value !== '')

describe('observations', () => {
  it('come back as they were, whatever the texts hold', () => {
    const observation = fc.record({
      passages: fc.array(fc.record({ number: fc.nat(99), title: text, text }), { maxLength: 4 }),
      repeated: fc.array(fc.nat(99), { maxLength: 4 }),
      facts: fc.array(line, { maxLength: 4 }),
      note: fc.option(text),
    })
    fc.assert(
      fc.property(observation, (given) => {
        expect(parseObservation(renderObservation(given))).toEqual(given)
      }),
    )
  })

  it.each(['a plain text', '<passage>\n</passage>', '<note>\nx'])('are not read into %j', (content) => {
    expect(parseObservation(content)).toBeNull()
  })
})

describe('conversations', () => {
  const call = (id: string, name: string, given: string) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  })
  const empty = { passages: [], repeated: [], facts: [], note: null }

  it('name question, moves and replies left', () => {
    const messages: ChatMessage[] = [
      ...renderAgentTask({ question: 'Who < whom?', turns: 6 }),
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('1', 'vector_search', '{"query":"a"}'), call('2', 'oops', '{')],
      },
      { role: 'tool', tool_call_id: '1', content: renderObservation({ ...empty, note: 'Nothing was found.' }) },
      { role: 'tool', tool_call_id: '2', content: 'of another kind' },
    ]
    expect(parseAgentTask(messages)).toEqual({
      question: 'Who < whom?',
      left: 5,
      moves: [
        { tool: 'vector_search', arguments: '{"query":"a"}', observation: { ...empty, note: 'Nothing was found.' } },
        { tool: 'oops', arguments: '{', observation: null },
      ],
    })
  })

  it('of another kind are no task', () => {
    expect(parseAgentTask([{ role: 'user', content: 'Hello' }])).toBeNull()
    const [system] = renderAgentTask({ question: 'x', turns: 2 })
    expect(parseAgentTask([system, { role: 'user', content: 'x' }])).toBeNull()
  })
})
