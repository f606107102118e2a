import type { Sound } from '../../kit/audio/sound.ts'
import type { Hints, Recognizer, TimedWord } from '../backends/recognizer.ts'
import { mergeWords, type WindowWords } from './merge-words.ts'

const OVERLAP_SECONDS = 6

/** Bounds of windows that cover `seconds`, each at most `windowSeconds` long, neighbours sharing `overlapSeconds`. */
export function planWindows(
  seconds: number,
  windowSeconds: number,
  overlapSeconds = OVERLAP_SECONDS,
): { start: number; end: number }[] {
  if (seconds <= windowSeconds) return [{ start: 0, end: seconds }]
  const step = windowSeconds - overlapSeconds
  const count = Math.ceil((seconds - overlapSeconds) / step)
  return Array.from({ length: count }, (_, i) => ({
    start: i * step,
    end: Math.min(seconds, i * step + windowSeconds),
  }))
}

/** The words of a sound of any length: recognized window by window, merged where windows overlap. */
export async function transcribeLong(
  sound: Sound,
  recognizer: Recognizer,
  signal: AbortSignal,
  hints: Hints = {},
): Promise<TimedWord[]> {
  const { samples, sampleRate } = sound
  const windows: WindowWords[] = []
  for (const { start, end } of planWindows(samples.length / sampleRate, recognizer.windowSeconds)) {
    const part = { samples: samples.subarray(Math.round(start * sampleRate), Math.round(end * sampleRate)), sampleRate }
    const words = await recognizer.recognize(part, signal, hints)
    windows.push({
      start,
      end,
      words: words.map((word) => ({ ...word, start: word.start + start, end: word.end + start })),
    })
  }
  return mergeWords(windows)
}
