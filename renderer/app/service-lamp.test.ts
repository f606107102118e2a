import { expect, it } from 'vitest'
import { lampOf } from './service-lamp.ts'

it('the lamp shows the worst state of engine and services', () => {
  const ready = { state: 'ready' } as const
  expect(lampOf('open', [])).toEqual({ tone: 'idle', words: 'idle' })
  expect(lampOf('open', [{ state: 'idle' }, ready, { state: 'external' }])).toEqual({ tone: 'good', words: '2 ready' })
  expect(lampOf('open', [ready, { state: 'starting' }])).toEqual({ tone: 'waiting', words: 'starting' })
  expect(lampOf('open', [ready, { state: 'starting' }, { state: 'failed' }])).toEqual({
    tone: 'bad',
    words: '1 failed',
  })
  expect(lampOf('lost', [ready])).toEqual({ tone: 'bad', words: 'no engine' })
})
