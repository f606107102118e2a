import type { TimedWord } from '../recognizer.ts'

/** A part of a word as a model writes it: a space or `▁` in front marks a word's beginning. Seconds of the window. */
export interface Piece {
  text: string
  start: number
  end: number
}

/** Whole words of a model's pieces: a word lasts from its first piece's start to its last piece's end. */
export function wordsOfPieces(pieces: readonly Piece[]): TimedWord[] {
  const words: TimedWord[] = []
  let isOpen = false
  for (const { text, start, end } of pieces) {
    const shown = text.replaceAll('▁', ' ')
    if (shown.startsWith(' ')) isOpen = false
    // A piece of space only ends the word before it.
    if (shown.trim() === '') continue
    const last = words.at(-1)
    if (isOpen && last !== undefined) {
      last.text += shown.trimEnd()
      last.end = end
    } else {
      words.push({ text: shown.trim(), start, end })
      isOpen = true
    }
    if (shown.endsWith(' ')) isOpen = false
  }
  return words
}

/** Words of a model that gives no times, spread over the window by their lengths. */
export function spreadWords(text: string, seconds: number): TimedWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const perCharacter = seconds / words.reduce((sum, word) => sum + word.length + 1, 0)
  let at = 0
  return words.map((word) => {
    const start = at
    at += (word.length + 1) * perCharacter
    return { text: word, start, end: at }
  })
}
