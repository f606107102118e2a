import { describe, expect, it } from 'vitest'
import { joinSpeech, splitSentences } from './spoken-sentences.ts'
import { toAscii, unspokenLetters, withoutMarkup } from './plain-speech.ts'

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

  it.each([
    ['“Müller’s” café – Straße €5 … 20°', '"Muller\'s" cafe, Strasse 5 euros ... 20 degrees'],
    ['It rose from −3 to 7.', 'It rose from minus 3 to 7.'],
    ['−5 °C', 'minus 5 degrees Celsius'],
    ['a − b', 'a minus b'],
    ['10³ and x²', '10 cubed and x squared'],
    ['2×10⁻³', '2 times 10 to the power of minus 3'],
    ['5½ cups and ½ a spoon', '5 and one half cups and one half a spoon'],
    ['10µm in 3 μs', '10 micrometers in 3 microseconds'],
    ['1990–1995', '1990 to 1995'],
    ['€5, £5 million, ¥500, ₹500', '5 euros, 5 million pounds, 500 yen, 500 rupees'],
    ['€1,250.50.', '1,250.50 euros.'],
    ['p < 0.05', 'p is less than 0.05'],
    ['x≤y', 'x is at most y'],
    ['n = 12', 'n equals 12'],
    ['α and β particles', 'alpha and beta particles'],
    ['Þórður and Örn', 'Thordur and Orn'],
    ['written in C#', 'written in C sharp'],
    ['See https://example.com/a/b?x=1.', 'See example dot com slash a slash b question mark x equals 1.'],
    ['well-known, 3-4 and self-made', 'well-known, 3-4 and self-made'],
    ['H₂O', 'H2O'],
  ])('speaks %s as %s', (written, spoken) => {
    expect(toAscii(written)).toBe(spoken)
  })

  it('shortens thousands of dots, which no synthesizer can speak', () => {
    expect(toAscii(`a${'.'.repeat(5000)}b`)).toBe('a...b')
  })

  it('counts the letters that an English voice leaves out', () => {
    expect(unspokenLetters('Grüße, α ≤ 3')).toBe(0)
    expect(unspokenLetters('Tokyo is 東京.')).toBe(2)
  })

  it('speaks the words of speech markup and not its tags', () => {
    expect(withoutMarkup('<speak>Hello <break time="5s"/> <emphasis>world</emphasis></speak>')).toBe('Hello , world')
    expect(withoutMarkup('if a <b> c')).toBe('if a <b> c')
  })
})

it('joinSpeech has no jump at a join that the speech itself has not, and a pause of one length', () => {
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
