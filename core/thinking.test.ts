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
    ['hmm, the user wants\n</think>\n\nBlue.', 'Blue.', 'hmm, the user wants\n'],
    ['<thinking>Sky?</thinking>\nBlue.', 'Blue.', 'Sky?'],
    ['<seed:think>Sky?</seed:think>Blue.', 'Blue.', 'Sky?'],
    ['<THINK>Sky?</THINK>Blue.', 'Blue.', 'Sky?'],
    ['[THINK]Sky?[/THINK]Blue.', 'Blue.', 'Sky?'],
    ['<think>\n\n</think>\n\n<think>Sky?</think>Blue.', 'Blue.', '\n\nSky?'],
    ['<think>Sky?</think><think>It goes on', '', 'Sky?It goes on'],
    ['<|channel|>analysis<|message|>Sky?<|end|><|start|>assistant<|channel|>final<|message|>Blue.', 'Blue.', 'Sky?'],
    ['<|channel|>analysis<|message|>It goes on', '', 'It goes on'],
    [
      '<|channel|>analysis<|message|>Sky?<|end|><|start|>assistant<|channel|>final <|constrain|>JSON<|message|>{"a":1}<|return|>',
      '{"a":1}',
      'Sky?',
    ],
    ['analysisSky?assistantfinalBlue.', 'Blue.', 'Sky?'],
    ['An analysis of the sky.', 'An analysis of the sky.', ''],
    ['Use <think> and </think> as tags.', 'Use <think> and </think> as tags.', ''],
    ['hmm\n</think>\n<think>Sky?</think>Blue.', 'Blue.', 'hmm\nSky?'],
    ['hmm</think><think>It goes on', '', 'hmmIt goes on'],
    ['hmm</think>or\n</think>Blue.', 'Blue.', 'hmmor\n'],
    ['hmm</think>Use <think> and </think> as tags.', 'Use <think> and </think> as tags.', 'hmm'],
    ['{"reason": "It writes </think>."}', '{"reason": "It writes </think>."}', ''],
    ['{"draft": 1}</think>{"reason": "It writes </think>."}', '{"reason": "It writes </think>."}', '{"draft": 1}'],
    ['  Blue, with white space.', '  Blue, with white space.', ''],
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
    [
      ['<thinking>Sky', '?</thinking>Bl', 'ue.'],
      ['Bl', 'ue.'],
    ],
    [
      ['<think>a</think>', '<th', 'ink>b</think>Bl', 'ue.'],
      ['Bl', 'ue.'],
    ],
    [['[TH', 'INK]Sky?[/THINK]', 'Blue.'], ['Blue.']],
    [
      ['[1] Blue', '.'],
      ['[1] Blue', '.'],
    ],
  ])('passes on the answer of the pieces %j', (pieces, expected) => {
    expect(through(answerPieces, pieces)).toEqual(expected)
  })

  it.each([
    ['closing marks', '</think>'.repeat(200_000)],
    ['blocks', '<think>a</think>'.repeat(100_000)],
    ['braces before a closing mark', `${'{"'.repeat(200_000)}</think>Blue.`],
  ])('takes time in proportion to a reply of %s', (_, reply) => {
    // Processor time of this thread: a busy machine makes no reply slower to read.
    const before = process.threadCpuUsage()
    splitThinking(reply)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(2000)
  })

  it('passes on beginnings of the trimmed reply only', () => {
    expect(through(trimmedPieces, ['\n ', ' Blue', ' ', '\n', 'sky. ', ' '])).toEqual(['Blue', ' \nsky.'])
  })
})
