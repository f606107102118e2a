import { expect, it } from 'vitest'
import { indexOf } from '../matching/terms.ts'
import { taggedTokens } from './part-of-speech.ts'
import { tokensOf } from './tokens.ts'

/** One question looks at so many texts, several times: its passages, sentence by sentence. */
const OF_A_QUESTION = 400

// An index takes 11 kB and more, tagged words 4 kB, the words of a sentence 2 kB.
it.each([
  ['the index', indexOf, 2048],
  ['the words', tokensOf, 2048],
  ['the tagged words', taggedTokens, 1024],
] as const)(
  'the words of recent texts: %s of a text is kept for the next stage of a question, and not for a whole corpus',
  (_, read, most) => {
    const readAll = (count: number, what: string) => {
      for (let at = 0; at < count; at += 1) read(`${what} ${at}.`)
    }
    const text = `The ${most} ships left Harwich.`
    const first = read(text)
    readAll(OF_A_QUESTION, 'Line')
    expect(read(text)).toBe(first)
    readAll(most, 'Row')
    expect(read(text)).not.toBe(first)
    expect(read(text)).toEqual(first)
  },
)
