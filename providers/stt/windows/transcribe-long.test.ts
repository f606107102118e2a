import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../tests/helpers/random.ts'
import { scriptedRecognizer } from '../../../tests/helpers/scripted-recognizer.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import type { TimedWord } from '../backends/recognizer.ts'
import { transcribeLong } from './transcribe-long.ts'

const RATE = 16_000
const SECONDS = 600
/** A word's sound stays at one level, which is its number in these steps; nothing else sounds. */
const STEP = 1 / 1024

/** Ten minutes with a word in every second, up to 0.9 s long, at a place of its own. */
function recording(): { sound: Sound; words: TimedWord[] } {
  const random = randomFrom(11)
  const samples = new Float32Array(SECONDS * RATE)
  const words = Array.from({ length: SECONDS }, (_, second) => {
    const length = Math.round((0.3 + 0.6 * random()) * RATE)
    const from = second * RATE + Math.round((0.98 * RATE - length) * random())
    samples.fill((second + 1) * STEP, from, from + length)
    return { text: `word${second + 1}`, start: from / RATE, end: (from + length) / RATE }
  })
  return { sound: { samples, sampleRate: RATE }, words }
}

/** The words in these samples; times count from their start. A word that is cut off is recognized as another one. */
function transcribe({ samples, sampleRate }: Sound): TimedWord[] {
  const words: TimedWord[] = []
  for (let at = 0; at < samples.length;) {
    const from = at
    while (at < samples.length && samples[at] === samples[from]) at += 1
    if (samples[from] === 0) continue
    const isCut = from === 0 || at === samples.length
    const text = isCut ? 'cut' : `word${Math.round(samples[from]! / STEP)}`
    words.push({ text, start: from / sampleRate, end: at / sampleRate })
  }
  return words
}

describe('transcribeLong', () => {
  const { sound, words } = recording()
  const inSamples = ({ text, start, end }: TimedWord) => [text, Math.round(start * RATE), Math.round(end * RATE)]

  it('recognizes every word of ten minutes once and at its time, wherever the windows end', async () => {
    let cutWords = 0
    for (const windowSeconds of [13.3, 20, 30, 41.7, 47.45, 60, 60.5, 299.6, 600, 900]) {
      const lengths: number[] = []
      const recognizer = scriptedRecognizer({
        windowSeconds,
        recognize: async (part) => {
          lengths.push(part.samples.length / part.sampleRate)
          const found = transcribe(part)
          cutWords += found.filter(({ text }) => text === 'cut').length
          return found
        },
      })
      const found = await transcribeLong(sound, recognizer, new AbortController().signal)
      expect(found.map(inSamples), `windows of ${windowSeconds} s`).toEqual(words.map(inSamples))
      expect(Math.max(...lengths)).toBeLessThanOrEqual(windowSeconds + 1 / RATE)
      expect(lengths.length > 1, `windows of ${windowSeconds} s`).toBe(windowSeconds < SECONDS)
    }
    expect(cutWords).toBeGreaterThan(100)
  })
})
