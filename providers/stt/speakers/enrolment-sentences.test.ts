import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { ENROLMENT_SENTENCES } from './enrolment-sentences.ts'

const SHORT_WORDS = 'of the and in for was were has have with from that which a an by at on are is did does'.split(' ')

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? []

/** Each run of five words of a text. */
function runsOf(text: string): string[] {
  const words = wordsOf(text)
  return words.slice(4).map((_, start) => words.slice(start, start + 5).join(' '))
}

it('has a hundred different sentences of 7 to 13 words', () => {
  expect(new Set(ENROLMENT_SENTENCES.map((sentence) => wordsOf(sentence).join(' '))).size).toBe(100)
  expect(ENROLMENT_SENTENCES).toHaveLength(100)
  const isOutside = (count: number): boolean => count < 7 || count > 13
  expect(ENROLMENT_SENTENCES.filter((sentence) => isOutside(wordsOf(sentence).length))).toEqual([])
})

it('is written so that it can be read aloud in one way only', () => {
  const plain = /^[A-Z][a-z']*(?:,? [A-Za-z][a-z']*)*[.?]$/
  expect(ENROLMENT_SENTENCES.filter((sentence) => !plain.test(sentence))).toEqual([])
})

it('holds each short word at least three times', () => {
  const words = ENROLMENT_SENTENCES.flatMap(wordsOf)
  expect(SHORT_WORDS.filter((short) => words.filter((word) => word === short).length < 3)).toEqual([])
})

it('shares no run of five words with the questions of the datasets', async () => {
  const folder = join(PROJECT_ROOT, 'manifests', 'datasets')
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  const asked = new Set(texts.flatMap(runsOf))
  expect(asked.size).toBeGreaterThan(1000)
  expect(ENROLMENT_SENTENCES.flatMap(runsOf).filter((run) => asked.has(run))).toEqual([])
})
