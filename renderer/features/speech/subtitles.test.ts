import { describe, expect, it } from 'vitest'
import { formsOf, transcriptAs } from './subtitles.ts'

const words = [{ text: 'a', start: 0, end: 1, duration: 1 }]
const transcript = {
  text: 'One & two. Three',
  has_timestamps: true,
  segments: [
    { id: 0, text: 'One & two.', start: 0.5, end: 59.9996, duration: 59.5, words },
    { id: 1, text: 'Three', start: 3661.25, end: 3662, duration: 0.75, words },
  ],
}

describe('transcriptAs', () => {
  it('writes the forms that players read', () => {
    expect(transcriptAs('text', transcript)).toBe('One & two.\nThree')
    expect(transcriptAs('SRT', transcript)).toBe(
      '1\n00:00:00,500 --> 00:01:00,000\nOne & two.\n\n2\n01:01:01,250 --> 01:01:02,000\nThree\n',
    )
    expect(transcriptAs('VTT', transcript)).toBe(
      'WEBVTT\n\n00:00:00.500 --> 00:01:00.000\nOne &amp; two.\n\n01:01:01.250 --> 01:01:02.000\nThree\n',
    )
    expect(JSON.parse(transcriptAs('JSON', transcript))).toEqual(transcript)
  })

  it('is the whole text where the recognizer gives no times', () => {
    const untimed = { text: 'Hello there.', has_timestamps: false, segments: [], words: [] }
    expect(transcriptAs('text', untimed)).toBe('Hello there.')
    expect(JSON.parse(transcriptAs('JSON', untimed))).toEqual(untimed)
  })
})

describe('formsOf', () => {
  it('offers subtitles only where there are times', () => {
    expect(formsOf(transcript)).toEqual(['text', 'JSON', 'SRT', 'VTT'])
    expect(formsOf({ text: 'Hello there.', has_timestamps: false, segments: [], words: [] })).toEqual(['text', 'JSON'])
    expect(formsOf({ text: 'Hello there.', has_timestamps: false })).toEqual(['text', 'JSON'])
  })
})
