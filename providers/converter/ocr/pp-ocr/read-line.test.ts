import { describe, expect, it } from 'vitest'
import { inkRows, linePicture, lineParts, lineWords } from './read-line.ts'

const CHARACTERS = ['', 'a', 'b', ' ']

/** Probabilities in which each step has one likely character. */
function steps(...characters: number[]): Float32Array {
  const values = new Float32Array(characters.length * CHARACTERS.length).fill(0.05)
  characters.forEach((character, step) => (values[step * CHARACTERS.length + character] = 0.85))
  return values
}

/** A white line of 48 rows with black columns and rows. */
function line(width: number, isBlack: (column: number, row: number) => boolean) {
  const pixels = new Float32Array(width * 48).fill(255)
  for (let row = 0; row < 48; row += 1)
    for (let column = 0; column < width; column += 1) if (isBlack(column, row)) pixels[row * width + column] = 0
  return { pixels, width, height: 48 }
}

describe('lineWords', () => {
  it('the same character in steps that follow each other is one, with a step of none between them it is two', () => {
    const [word, ...others] = lineWords(steps(1, 1, 0, 1, 2), CHARACTERS, 10, [0, 50])
    expect([word!.text, others]).toEqual(['aab', []])
    expect(word!.confidence).toBeCloseTo(0.85, 5)
  })

  it('spaces part words, and each word has the columns of its characters', () => {
    const words = lineWords(steps(1, 2, 3, 0, 2, 1), CHARACTERS, 10, [100, 160])
    expect(words.map(({ text, from, to }) => [text, from, to])).toEqual([
      ['ab', 100, 120],
      ['ba', 140, 160],
    ])
  })

  it('a line of which nothing is read has no words', () => {
    expect(lineWords(steps(0, 0, 3), CHARACTERS, 10, [0, 30])).toEqual([])
  })
})

describe('lineParts', () => {
  it('a long line is cut in the widest gap between its words, a short one is left whole', () => {
    // Letters of 8 columns, gaps of 2 between them, and one of 12 between the words.
    const picture = line(400, (column) => (column < 196 ? column % 10 < 8 : column >= 208 && (column - 208) % 10 < 8))
    expect(lineParts(picture, 256)).toEqual([
      [0, 202],
      [202, 400],
    ])
    expect(lineParts(picture, 400)).toEqual([[0, 400]])
  })

  it('a line without a gap is left whole', () => {
    expect(
      lineParts(
        line(600, (_, row) => row > 10 && row < 30),
        256,
      ),
    ).toEqual([[0, 600]])
  })
})

describe('inkRows', () => {
  it('the dot of an i belongs to its letter, the descenders of the line above do not', () => {
    const picture = line(10, (_, row) => row < 5 || (row >= 14 && row < 16) || (row >= 19 && row < 34))
    expect(inkRows(picture, 0, 10)).toEqual([14, 34])
  })

  it('a blank range has the whole height', () => {
    expect(
      inkRows(
        line(10, () => false),
        0,
        10,
      ),
    ).toEqual([0, 48])
  })
})

it('a line that is turned on the page is level in its picture', () => {
  const [width, height] = [300, 100]
  const slope = 0.05
  const pixels = new Uint8Array(width * height).fill(255)
  for (let x = 0; x < width; x += 1)
    for (let y = 0; y < height; y += 1)
      if (Math.abs(y + 0.5 - 50 - slope * (x + 0.5 - 150)) < 5) pixels[y * width + x] = 0
  const page = { pixels, width, height, widthPt: 108, heightPt: 36 }
  const area = { x: 150, y: 50, width: 200, height: 48, angle: Math.atan(slope) }
  const picture = linePicture(page, area, 48)
  expect([picture.width, picture.height]).toEqual([200, 48])
  for (const column of [5, 100, 195]) expect(inkRows(picture, column, column + 1)).toEqual([19, 29])
})
