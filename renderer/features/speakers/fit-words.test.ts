import { expect, test } from 'vitest'
import type { SpeakerFit } from '../../../contract/http/speakers.ts'
import { fitWords, outcomeWords } from './fit-words.ts'

const FIT: SpeakerFit = {
  created: '2026-11-22T08:00:00.000Z',
  sentences: 100,
  matched_sentences: 100,
  checked_sentences: 20,
  checked_words: 212,
  errors_before: 31,
  errors_after: 17,
  used: true,
}
const measured = 'Recognised 31 of 212 words wrong before, 17 after, in 20 sentences kept out for that.'

const ALL = Array.from({ length: 101 }, (_, i) => `Sentence ${i}.`)
const KNOWN = { sentences: ALL, unavailable: null }

test('a fit is described with what it was measured on, and whether it is used', () => {
  const read = ALL.slice(0, 100)
  expect(fitWords({ fit: null, read }, KNOWN)).toBeNull()
  expect(fitWords({ fit: FIT, read }, KNOWN)).toBe(`${measured} Used.`)
  expect(fitWords({ fit: FIT, read: ALL }, KNOWN)).toBe(`${measured} Used; 1 sentence read since, not fitted to yet.`)
})

test('a good fit that is not used belongs to another model, or to another recogniser', () => {
  const speaker = { fit: { ...FIT, used: false }, read: [] }
  expect(fitWords(speaker, KNOWN)).toBe(
    `${measured} Not used: the recogniser’s own model has changed since; fit it again.`,
  )
  expect(fitWords(speaker, { ...KNOWN, unavailable: 'The backend whisper is not fitted to speakers.' })).toBe(
    `${measured} Not used: another recogniser runs now than the one that was fitted.`,
  )
})

test('a fit that is no better says what can be done, if anything', () => {
  const worse = { ...FIT, matched_sentences: 80, errors_after: 31, used: false }
  expect(fitWords({ fit: worse, read: ALL.slice(1) }, KNOWN)).toMatch(
    /31 of 212 words wrong before, 31 after, in 20 sentences kept out for that\. No better: not used; read more sentences\.$/,
  )
  expect(fitWords({ fit: worse, read: ALL }, KNOWN)).toMatch(
    /No better: not used; read some again, slower and nearer to the microphone\.$/,
  )
  expect(fitWords({ fit: { ...worse, errors_before: 0, errors_after: 0 }, read: ALL }, KNOWN)).toMatch(
    /Recognised 0 of 212 words wrong before, 0 after.* Not used: it recognised every word before\.$/,
  )
})

test('recordings that did not match are counted, out of those that were tried', () => {
  const told = (part: Partial<SpeakerFit>) => fitWords({ fit: { ...FIT, ...part }, read: ALL }, KNOWN)
  expect(told({ matched_sentences: 97 })).toContain(' 3 of 100 recordings did not match the sentence. Used;')
  // No better: those kept out were not fitted to at all.
  expect(told({ matched_sentences: 79, errors_after: 31, used: false })).toContain(
    ' 1 of 80 recordings did not match the sentence. No better',
  )
})

test('a sentence is shown with its wrong words, also where more was recognised than read', () => {
  expect([0, 2, 9, 10].map((errors) => outcomeWords(9, errors))).toEqual([
    'all 9 words right',
    '2 of 9 words wrong',
    '9 of 9 words wrong',
    '10 wrong words for 9 to read',
  ])
})
