import { afterAll, expect, it } from 'vitest'
import { FliteEngine } from '../engines/flite/flite-engine.ts'
import { kokoroSymbols, Pronouncer } from './pronouncer.ts'

const flite = new FliteEngine()
const pronouncer = new Pronouncer(flite.reader)
const { signal } = new AbortController()
afterAll(() => flite.close())

it.each([
  ['words of the dictionary, stress before the vowel', 'Hello world!', 'həlˈO wˈɜɹld!'],
  ['words that bear no stress, and the article before a vowel', 'The end of the day', 'ði ˈɛnd ʌv ðə dˈA'],
  ['breaks, not brackets and quotes', 'Yes, "go" (now): why?', 'jˈɛs, ɡˈO nˈW: wˈI?'],
  ['a possessive of which only the stem is known', "The zygote's cell.", 'ðə zˈIɡOts sˈɛl.'],
  ['words with a hyphen', 'a well-read fox', 'ə wˈɛlɹˈɛd fˈɑks'],
  ['capitals as letters or as a word', 'XKR of NATO', 'ˈɛkskˈAˈɑɹ ʌv nˈAtO'],
  ['accents and dashes', 'A café — new', 'ə kəfˈA, nˈu'],
  [
    'figures, amounts and titles',
    'Dr. Lee paid $3.50 in 1984.',
    'dˈɑktəɹ lˈi pˈAd θɹˈi dˈɑləɹz fˈɪfti sˈɛnts ɪn nˈIntˈin ˈAti fˈɔɹ.',
  ],
  ['a word that no dictionary has', 'A quorntle.', 'ə kwˈOɹntəl.'],
  ['nouns and verbs that differ by their stress', 'They record the record.', 'ðA ɹəkˈɔɹd ðə ɹˈɛkəɹd.'],
  ['nothing', '…', ''],
])('Pronouncer pronounces %s', async (_name, text, symbols) => {
  expect(await pronouncer.symbols(text, signal)).toBe(symbols)
})

it('refuses what is not a phone', () => {
  expect(() => kokoroSymbols(['K', 'Q1'])).toThrow('"Q1" is not an ARPABET phone')
})
