import { deflateSync } from 'node:zlib'
import type { SpokenSegment, SpokenWord, VerboseSegment } from '../../contract/http/speech.ts'
import type { TimedWord } from './backends/recognizer.ts'

const SENTENCE_END = /[.!?。？！]["')\]]?$/
/** Recognizers without punctuation leave only the pauses to separate sentences. */
const PAUSE_SECONDS = 0.5

/** Words in the wire's form: seconds to the millisecond. */
export function spokenWords(words: readonly TimedWord[]): SpokenWord[] {
  return words.map(({ text, start, end }) => ({ text, start: ms(start), end: ms(end), duration: ms(end - start) }))
}

/** Sentences end at a sign that ends one, or at a pause. */
function sentencesOf(words: readonly TimedWord[]): TimedWord[][] {
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
  return sentences
}

/** Sentences in the wire's form. */
export function spokenSegments(words: readonly TimedWord[]): SpokenSegment[] {
  return sentencesOf(words).map((sentence, id) => {
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

/** Sentences with the further fields that clients of OpenAI's API require; see `VerboseSegment` for what is measured. */
export function verboseSegments(words: readonly TimedWord[]): VerboseSegment[] {
  return spokenSegments(words).map(({ words: _words, ...segment }) => {
    const bytes = Buffer.from(segment.text)
    return {
      ...segment,
      seek: Math.round(segment.start * 100),
      tokens: [],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: ms(bytes.length / deflateSync(bytes).length),
      no_speech_prob: 0,
    }
  })
}

/** Words in OpenAI's form. */
export const verboseWords = (words: readonly TimedWord[]): { word: string; start: number; end: number }[] =>
  words.map(({ text, start, end }) => ({ word: text, start: ms(start), end: ms(end) }))

/** The transcript as server-sent events: one `transcript.text.delta` per sentence, then `transcript.text.done`. */
export function transcriptEvents(words: readonly TimedWord[]): string {
  const deltas = sentencesOf(words).map((sentence, index) => ({
    type: 'transcript.text.delta',
    delta: index === 0 ? textOf(sentence) : spaced(sentence),
  }))
  const events = [...deltas, { type: 'transcript.text.done', text: textOf(words) }]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

const spaced = (words: readonly TimedWord[]): string =>
  words.map(({ text, isAttached }) => (isAttached === true ? text : ` ${text}`)).join('')

/** The words as one text. */
export const textOf = (words: readonly TimedWord[]): string => spaced(words).trimStart()

function ms(seconds: number): number {
  return Number(seconds.toFixed(3))
}
