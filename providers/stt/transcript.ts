import type { SpokenSegment, SpokenWord } from '../../contract/index.ts'
import type { TimedWord } from './backends/recogniser.ts'

const SENTENCE_END = /[.!?。？！]["')\]]?$/
/** Recognisers without punctuation leave only the pauses to tell sentences apart. */
const PAUSE_SECONDS = 0.5

/** Words in the wire's form: seconds to the millisecond. */
export function spokenWords(words: readonly TimedWord[]): SpokenWord[] {
  return words.map(({ text, start, end }) => ({ text, start: ms(start), end: ms(end), duration: ms(end - start) }))
}

/** Sentences: they end at a sign that ends one, or at a pause. */
export function spokenSegments(words: readonly TimedWord[]): SpokenSegment[] {
  const sentences: TimedWord[][] = []
  let open: TimedWord[] = []
  words.forEach((word, i) => {
    open.push(word)
    const next = words[i + 1]
    const isEnd = next === undefined || SENTENCE_END.test(word.text) || next.start - word.end >= PAUSE_SECONDS
    if (!isEnd) return
    sentences.push(open)
    open = []
  })
  return sentences.map((sentence, id) => {
    const start = sentence[0]!.start
    const end = sentence.at(-1)!.end
    return {
      id,
      text: textOf(sentence),
      start: ms(start),
      end: ms(end),
      duration: ms(end - start),
      words: spokenWords(sentence),
    }
  })
}

/** The words as one text. */
export function textOf(words: readonly TimedWord[]): string {
  return words.map(({ text }) => text).join(' ')
}

function ms(seconds: number): number {
  return Number(seconds.toFixed(3))
}
