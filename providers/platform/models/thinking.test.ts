import { describe, expect, it } from 'vitest'
import { answerPieces, splitThinking, trimmedPieces } from './thinking.ts'

const through = (filter: typeof answerPieces, pieces: readonly string[]): string[] => {
  const passed: string[] = []
  const receive = filter((piece) => passed.push(piece))
  for (const piece of pieces) receive(piece)
  return passed
}

describe('reasoning inside a reply', () => {
  it.each([
    ['Blue.', 'Blue.', ''],
    ['<think>Sky?</think>\n\nBlue.', 'Blue.', 'Sky?'],
    ['\n<think>It goes on', '', 'It goes on'],
    ['The tag <think> is text.', 'The tag <think> is text.', ''],
  ])('splits %j', (reply, answer, thinking) => {
    expect(splitThinking(reply)).toEqual({ answer, thinking })
  })

  it.each([
    [
      ['Bl', 'ue.'],
      ['Bl', 'ue.'],
    ],
    [
      ['<th', 'ink>Sky', '?</thi', 'nk>\n', '\nBl', 'ue.'],
      ['Bl', 'ue.'],
    ],
    [['<think>It goes', ' on'], []],
    [['<', 'b>bold'], ['<b>bold']],
  ])('passes on the answer of the pieces %j', (pieces, expected) => {
    expect(through(answerPieces, pieces)).toEqual(expected)
  })

  it('passes on beginnings of the trimmed reply only', () => {
    expect(through(trimmedPieces, ['\n ', ' Blue', ' ', '\n', 'sky. ', ' '])).toEqual(['Blue', ' \nsky.'])
  })
})
