import { describe, expect, it } from 'vitest'
import type { TimedWord } from '../backends/recognizer.ts'
import { mergeWords, type WindowWords } from './merge-words.ts'
import { planWindows } from './transcribe-long.ts'

/** A small generator with a seed: the same recording on every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** Ten minutes of words, many of them repeated at once, as speech has them. */
function recording(seconds: number, random: () => number): TimedWord[] {
  const vocabulary = ['the', 'report', 'of', 'a', 'north', 'harbour', 'very', 'seven', 'in', 'supplier']
  const words: TimedWord[] = []
  for (let at = 0.2; ;) {
    const length = 0.12 + 0.5 * random()
    if (at + length > seconds) return words
    const repeat = random() < 0.15 ? words.at(-1)?.text : undefined
    words.push({ text: repeat ?? vocabulary[Math.floor(random() * vocabulary.length)]!, start: at, end: at + length })
    at += length + (random() < 0.1 ? 0.8 * random() : 0.02)
  }
}

/** Returns what a recognizer gives for a window: whole words a little off in time, cut words as something else. */
function transcribed(words: readonly TimedWord[], start: number, end: number, random: () => number): WindowWords {
  const jitter = () => (random() - 0.5) * 0.16
  const found = words
    .filter((word) => word.end > start && word.start < end)
    .map((word) => {
      const isCut = word.start < start || word.end > end
      const from = Math.max(start, word.start + jitter())
      return {
        text: isCut ? 'uh' : word.text,
        start: from,
        end: Math.min(end, Math.max(from + 0.05, word.end + jitter())),
      }
    })
  return { start, end, words: found }
}

const texts = (words: readonly TimedWord[]) => words.map(({ text }) => text).join(' ')

describe('mergeWords', () => {
  it('loses and doubles no word of ten minutes, wherever the windows are cut', () => {
    const random = generator(7)
    const words = recording(600, random)
    expect(words.length).toBeGreaterThan(1200)
    for (let shift = 1; shift <= 60; shift += 1) {
      const windows = [
        { start: 0, end: shift + 6 },
        ...planWindows(600 - shift, 60, 6).map((window) => ({ start: window.start + shift, end: window.end + shift })),
      ]
      const merged = mergeWords(windows.map(({ start, end }) => transcribed(words, start, end, random)))
      expect(texts(merged), `windows cut at ${shift} s`).toBe(texts(words))
    }
  })

  it('keeps one transcript of an overlap in which the windows agree on nothing', () => {
    const spoken = (text: string, from: number, to: number) =>
      Array.from({ length: Math.floor((to - from) / 0.5) }, (_, i) => ({
        text: `${text}${i}`,
        start: from + i * 0.5,
        end: from + i * 0.5 + 0.4,
      }))
    const merged = mergeWords([
      { start: 0, end: 20, words: spoken('a', 0, 20) },
      { start: 14, end: 34, words: spoken('b', 14, 34) },
    ])
    for (let i = 1; i < merged.length; i += 1) expect(merged[i]!.start).toBeGreaterThanOrEqual(merged[i - 1]!.start)
    expect(merged).toHaveLength(68)
  })

  it('covers everything with windows, also what is shorter than one', () => {
    expect(planWindows(10, 60)).toEqual([{ start: 0, end: 10 }])
    const windows = planWindows(601, 60, 6)
    expect(windows.at(-1)!.end).toBe(601)
    for (let i = 1; i < windows.length; i += 1) expect(windows[i - 1]!.end - windows[i]!.start).toBeCloseTo(6)
  })
})
