import { expect, it } from 'vitest'
import { timedWords } from './backends/engines/transformers-engine.ts'
import { spokenSegments, textOf, transcriptEvents } from './transcript.ts'

const recognized = (...texts: string[]) =>
  timedWords(
    { text: '', chunks: texts.map((text, at) => ({ text, timestamp: [at * 0.3, at * 0.3 + 0.3] })) },
    texts.length,
  )

it('text is spaced and punctuated as the model recognized it', () => {
  expect(textOf(recognized(' A', ' well', '-known', ' mill.'))).toBe('A well-known mill.')
  const words = recognized('水车', '在', '特恩比。', '它', '很', '老。')
  expect(textOf(words)).toBe('水车在特恩比。它很老。')
  expect(spokenSegments(words).map(({ text }) => text)).toEqual(['水车在特恩比。', '它很老。'])
  expect(transcriptEvents(words)).toContain('"delta":"它很老。"')
})

it('words of a recognizer without spaces of its own are separated', () => {
  const words = ['the', 'mill', 'turns'].map((text, at) => ({ text, start: at, end: at + 0.6 }))
  expect([textOf(words), transcriptEvents(words).includes('"delta":" mill"')]).toEqual(['the mill turns', false])
  const apart = words.map((word) => ({ ...word, start: word.start * 3, end: word.start * 3 + 0.5 }))
  expect(transcriptEvents(apart)).toContain('"delta":" mill"')
})
