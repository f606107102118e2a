import { expect, test } from 'vitest'
import { afterReading, nextUnread, totalSentences } from './next-sentence.ts'

const SENTENCES = ['a', 'b', 'c', 'd']

test('the next sentence is the first one ahead that was not read, then one that was skipped', () => {
  expect(nextUnread(SENTENCES, [], 0)).toBe(0)
  expect(nextUnread(SENTENCES, ['b'], 1)).toBe(2)
  expect(nextUnread(SENTENCES, ['b', 'c', 'd'], 4)).toBe(0)
  expect(nextUnread(SENTENCES, SENTENCES, 2)).toBeNull()
  expect(nextUnread([], [], 0)).toBeNull()
})

test('reading goes on at what was not read, ends with the last of it, and goes on in order when all is read again', () => {
  expect(afterReading(SENTENCES, ['a'], ['a', 'b'], 1)).toBe(2)
  expect(afterReading(SENTENCES, ['a', 'b'], ['b', 'a'], 0)).toBe(2)
  expect(afterReading(SENTENCES, ['a', 'b', 'd'], SENTENCES, 2)).toBeNull()
  expect(afterReading(SENTENCES, SENTENCES, SENTENCES, 1)).toBe(2)
  expect(afterReading(SENTENCES, SENTENCES, SENTENCES, 3)).toBe(0)
})

test('a sentence of an earlier list counts', () => {
  expect(totalSentences(SENTENCES, ['b', 'old'])).toBe(5)
})
