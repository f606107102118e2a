import { describe, expect, it } from 'vitest'
import { joinSpeech } from './join-speech.ts'
import { toAscii, withoutMarkup } from './plain-speech.ts'
import { splitSentences } from './split-sentences.ts'

describe('splitSentences', () => {
  it('ends at sentences, not at abbreviations or figures', () => {
    expect(splitSentences('Dr. Smith paid $3.50. Was it fair? Yes!', 100)).toEqual([
      'Dr. Smith paid $3.50.',
      'Was it fair?',
      'Yes!',
    ])
  })

  it('loses no word of a long text and keeps to the limit', () => {
    const words = Array.from({ length: 900 }, (_, i) => `word${i}${i % 17 === 0 ? ',' : ''}${i % 41 === 0 ? '.' : ''}`)
    const parts = splitSentences(words.join(' '), 80)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(80)
    expect(parts.join(' ')).toBe(words.join(' '))
    expect(splitSentences('x'.repeat(200), 80).join('')).toBe('x'.repeat(200))
  })
})

describe('plain speech', () => {
  it('takes out what is written for the eye', () => {
    const text = '# Title\n- **bold** and *soft* `code` [a link](https://x.y/z) 2 * 3 * 4 snake_case_name 🎉👩‍🔬'
    expect(withoutMarkup(text)).toBe('Title\nbold and soft code a link 2 * 3 * 4 snake_case_name')
  })

  it('says other letters and signs in ASCII', () => {
    expect(toAscii('“Müller’s” café – Straße €5 … 20°')).toBe('"Muller\'s" cafe, Strasse euros 5 ... 20 degrees')
  })
})

describe('joinSpeech', () => {
  it('has no jump at a join that the speech itself has not, and a pause of one length', () => {
    const sampleRate = 16_000
    const cut = (phase: number) => ({
      samples: Float32Array.from({ length: 4000 }, (_, i) => 0.8 * Math.sin(0.04 * i + phase)),
      sampleRate,
    })
    const { samples } = joinSpeech([cut(1), cut(2), cut(0.5)])
    let jump = 0
    for (let i = 1; i < samples.length; i += 1) jump = Math.max(jump, Math.abs(samples[i]! - samples[i - 1]!))
    expect(jump).toBeLessThan(0.8 * 0.04 * 1.5)
    expect(Math.abs(samples[0]!) + Math.abs(samples.at(-1)!)).toBeLessThan(0.01)
    expect(samples.length).toBe(3 * 4000 + 2 * 0.25 * sampleRate)
  })
})
