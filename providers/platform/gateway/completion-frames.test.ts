import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChatCompletion } from '../../../contract/http/chat.ts'
import { completionFrames } from './completion-frames.ts'

interface Chunk {
  object: string
  id: string
  usage?: object | null
  choices: {
    index: number
    finish_reason: string | null
    delta: { role?: string; content?: string | null; tool_calls?: object[] }
  }[]
}

const completion = (message: object, finish = 'stop'): ChatCompletion => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content: null, ...message } }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
})

function read(frames: string[]): Chunk[] {
  expect(frames.at(-1)).toBe('data: [DONE]\n\n')
  return frames.slice(0, -1).map((frame) => {
    expect(frame.startsWith('data: ') && frame.endsWith('\n\n')).toBe(true)
    return JSON.parse(frame.slice(6)) as Chunk
  })
}

it('streams any text whole, in pieces, role first and finish reason last', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 1000 }), (content) => {
      const chunks = read(completionFrames(completion({ content }), false))
      expect(chunks.every((chunk) => chunk.object === 'chat.completion.chunk' && chunk.id === 'c1')).toBe(true)
      expect(chunks.map((chunk) => chunk.choices[0]!.delta.content ?? '').join('')).toBe(content)
      expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant')
      expect(chunks.map((chunk) => chunk.choices[0]!.finish_reason)).toEqual([
        ...new Array<null>(chunks.length - 1).fill(null),
        'stop',
      ])
      expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
    }),
  )
})

it('cuts a long answer between words', () => {
  const content = 'word '.repeat(100).trim()
  const contents = read(completionFrames(completion({ content }), false)).map(
    (chunk) => chunk.choices[0]!.delta.content ?? '',
  )
  expect(contents.length).toBeGreaterThan(6)
  expect(contents.filter((piece) => piece !== '').every((piece) => /^(word ?)+$/.test(piece))).toBe(true)
})

it('carries tool calls with their index, and the usage where it was asked for', () => {
  const call = { id: 't', type: 'function', function: { name: 'f', arguments: '{' } }
  const chunks = read(completionFrames(completion({ tool_calls: [call] }, 'tool_calls'), true))
  expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
    { role: 'assistant', content: null },
    { tool_calls: [{ index: 0, ...call }] },
    {},
    undefined,
  ])
  expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('tool_calls')
  expect(chunks.at(-1)!.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })
})
