import { expect, it } from 'vitest'
import { isRecord, jsonIn, messageOf } from './json.ts'

it.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['{"a":', undefined],
  ['', undefined],
])('jsonIn reads %j', (text, value) => {
  expect(jsonIn(text)).toEqual(value)
})

it('takes an object for a record, and nothing else', () => {
  expect([{}, { a: 1 }, [], null, 'text', undefined].map(isRecord)).toEqual([true, true, false, false, false, false])
})

it('has a message for everything that can be thrown', () => {
  expect([new Error('why'), 'text', 7, null].map(messageOf)).toEqual(['why', 'text', '7', 'null'])
})
