import { expect, it } from 'vitest'
import type { CellTrace, TraceStep } from '../../contract/evidence/trace.ts'
import { readableParts, traceGap, traceRows } from './trace-rows.ts'

const step = (kind: TraceStep['kind'], start: number, duration: number, parent?: number): TraceStep => ({
  name: kind,
  kind,
  start_ms: start,
  duration_ms: duration,
  ...(parent === undefined ? {} : { parent }),
})
const TRACE: CellTrace = {
  level: 'full',
  // Two tools at the same time: their steps are mixed in the order of time.
  steps: [
    step('attempt', 0, 100),
    step('tool', 10, 40, 0),
    step('tool', 10, 50, 0),
    step('search', 12, 5, 2),
    step('model', 13, 5, 1),
  ],
}

it('each step is followed by what is below it', () => {
  expect(traceRows(TRACE).map(({ index, depth }) => [index, depth])).toEqual([
    [0, 0],
    [1, 1],
    [4, 2],
    [2, 1],
    [3, 2],
  ])
  expect(traceRows(TRACE)[2]).toMatchObject({ start: 0.13, share: 0.05 })
  expect(traceRows({ steps: [] })).toEqual([])
})

it('a trace without calls of a platform says why', () => {
  expect(traceGap(undefined)).toBe('older')
  expect(traceGap({ level: 'off', steps: [] })).toBe('off')
  expect(traceGap({ level: 'full', steps: [step('attempt', 0, 1), step('evaluation', 1, 1)] })).toBe('none')
  expect(traceGap(TRACE)).toBeNull()
})

it('messages are read one by one, other JSON indented, and any other text as it is', () => {
  const asked = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Answer.\nShort.' },
      { role: 'user', content: 'Who?' },
    ],
  }
  expect(readableParts(JSON.stringify(asked))).toEqual([
    { role: 'system', text: 'Answer.\nShort.' },
    { role: 'user', text: 'Who?' },
    { role: null, text: '{\n  "model": "m"\n}' },
  ])
  const calls = { choices: [{ message: { role: 'assistant', content: null, tool_calls: [{ id: '1' }] } }] }
  expect(readableParts(JSON.stringify(calls))[0]!.text).toContain('"tool_calls"')
  expect(readableParts('[1]')).toEqual([{ role: null, text: '[\n  1\n]' }])
  expect(readableParts('{"messages": 3}')).toEqual([{ role: null, text: '{\n  "messages": 3\n}' }])
  expect(readableParts('not JSON')).toEqual([{ role: null, text: 'not JSON' }])
  expect(readableParts('"one\\ntwo"')).toEqual([{ role: null, text: 'one\ntwo' }])
})
