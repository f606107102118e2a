import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import type { Recognizer, TimedWord } from '../../providers/stt/backends/recognizer.ts'
import { transcribeLong } from '../../providers/stt/windows/transcribe-long.ts'
import type { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { fliteWordTimes } from '../helpers/flite-word-times.ts'
import { normalizedWords } from '../helpers/normalize-english.ts'
import { alignedWords, wordErrors } from '../helpers/word-errors.ts'
import type { Recording } from './spoken-sample.ts'

/** Errors of one way of recognition. */
export interface Heard {
  words: number
  errors: number
  questionWords: number
  questionErrors: number
}

/** Describes how well one voice is recognized. */
export interface RoundTrip {
  voice: string
  plain: Heard
  /** Distance of the recognized from the synthesiser's own starts of words, over the words recognized right; seconds. */
  startErrorMedian: number
  startErrorP95: number
  /** Time to speak and to transcribe, per second of sound. */
  speakingFactor: number
  hearingFactor: number
}

const signal = new AbortController().signal
const PAUSE_SECONDS = 0.6
/** Processes that transcribe at the same time. */
const WIDTH = 2

interface ReferenceWord {
  word: string
  start: number
}

/** Speaks the recordings in a voice and transcribes them. */
export async function roundTrip(
  engine: FliteEngine,
  recognizer: Recognizer,
  voice: string,
  recordings: readonly Recording[],
): Promise<RoundTrip> {
  const totals = { sound: 0, speakingMs: 0, hearingMs: 0 }
  const plain = nothing()
  const startErrors: number[] = []
  const one = async ({ kind, sentences }: Recording): Promise<void> => {
    const spokenAt = performance.now()
    const sounds: Sound[] = []
    for (const text of sentences) sounds.push(await engine.speak({ text, voice, speed: 1 }, signal))
    totals.speakingMs += performance.now() - spokenAt
    const sound = joinSounds(sounds, PAUSE_SECONDS)
    totals.sound += durationSeconds(sound)
    const reference = await referenceWords(engine, sentences, sounds, voice)
    const heardAt = performance.now()
    const plainly = await transcribeLong(sound, recognizer, signal)
    totals.hearingMs += performance.now() - heardAt
    startErrors.push(...count(plain, kind, reference, plainly))
  }
  const waiting = [...recordings]
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await one(next)
    }),
  )
  startErrors.sort((a, b) => a - b)
  const quantile = (share: number) => startErrors[Math.floor(share * (startErrors.length - 1))] ?? NaN
  return {
    voice,
    plain,
    startErrorMedian: quantile(0.5),
    startErrorP95: quantile(0.95),
    speakingFactor: totals.speakingMs / 1000 / totals.sound,
    hearingFactor: totals.hearingMs / 1000 / totals.sound,
  }
}

function nothing(): Heard {
  return { words: 0, errors: 0, questionWords: 0, questionErrors: 0 }
}

/** Adds one recording to the totals; distances of the starts of words recognized right, in seconds. */
function count(
  totals: Heard,
  kind: Recording['kind'],
  reference: readonly ReferenceWord[],
  recognized: readonly TimedWord[],
): number[] {
  const words = reference.map(({ word }) => word)
  const recognizedWords = recognized.flatMap(({ text, start }) =>
    normalizedWords(text).map((word) => ({ word, start })),
  )
  const again = recognizedWords.map(({ word }) => word)
  const errors = wordErrors(words, again)
  totals.words += words.length
  totals.errors += errors
  if (kind === 'question') {
    totals.questionWords += words.length
    totals.questionErrors += errors
  }
  return alignedWords(words, again)
    .map(([a, b]) => Math.abs(recognizedWords[b]!.start - reference[a]!.start))
    .filter((seconds) => !Number.isNaN(seconds))
}

/** Returns what the synthesiser speaks, numbers and abbreviations written out, with its own times. */
async function referenceWords(
  engine: FliteEngine,
  sentences: readonly string[],
  sounds: readonly Sound[],
  voice: string,
): Promise<ReferenceWord[]> {
  const reference: ReferenceWord[] = []
  let offset = 0
  for (const [i, text] of sentences.entries()) {
    // Of codes the program reports more words than it speaks separately: then their times are unknown.
    const timed = await fliteWordTimes(engine, text, voice).catch(async () =>
      (await engine.words(text, voice, signal)).map((word) => ({ text: word, start: NaN })),
    )
    for (const { text: spoken, start } of withEndings(timed))
      reference.push(...normalizedWords(spoken).map((word) => ({ word, start: start + offset })))
    offset += durationSeconds(sounds[i]!) + PAUSE_SECONDS
  }
  return reference
}

/** The synthesiser reports the ending of "farmer's" as a word of its own; which is never written so. */
function withEndings(words: readonly { text: string; start: number }[]): { text: string; start: number }[] {
  const whole: { text: string; start: number }[] = []
  for (const { text, start } of words) {
    const last = whole.at(-1)
    if (text.startsWith("'") && last !== undefined) last.text += text
    else whole.push({ text, start })
  }
  return whole
}
