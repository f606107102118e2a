import { glob, readFile } from 'node:fs/promises'
import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import type { Recogniser } from '../../providers/stt/backends/recogniser.ts'
import { transcribeLong } from '../../providers/stt/windows/transcribe-long.ts'
import type { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { fliteWordTimes } from '../helpers/flite-word-times.ts'
import { normalisedWords } from '../helpers/normalise-english.ts'
import { randomFrom } from '../helpers/random.ts'
import { alignedWords, wordErrors } from '../helpers/word-errors.ts'

/** How well one voice is heard again. */
export interface RoundTrip {
  voice: string
  words: number
  /** Errors per word said, over all sentences. */
  wordErrorRate: number
  /** The same over the sentences whose words the recogniser's dictionary all holds. */
  knownErrorRate: number
  /** Words that the dictionary does not hold, per word: it can write none of them. */
  unknownShare: number
  /** Distance of the heard from the synthesiser's own starts of words, over the words heard right; seconds. */
  startErrorMedian: number
  startErrorP95: number
  /** Time to speak and to hear, per second of sound. */
  speakingFactor: number
  hearingFactor: number
}

const signal = new AbortController().signal
const PAUSE_SECONDS = 0.6
const BATCH = 10
const SEED = 20_260
const DICTIONARY = '/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict'

/** Words that the recogniser can write. */
export async function knownWords(): Promise<ReadonlySet<string>> {
  const lines = (await readFile(DICTIONARY, 'utf8')).split('\n')
  return new Set(lines.map((line) => line.split(/[ (]/, 1)[0]!).flatMap(normalisedWords))
}

/** Sentences of the general corpus, drawn by a fixed seed: 6 to 20 words of running text, as they stand, with names and numbers. */
export async function corpusSentences(count: number): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob('corpus/subset/*.md')) files.push(file)
  const sentences: string[] = []
  for (const file of files.sort()) {
    const paragraphs = (await readFile(file, 'utf8')).split(/\n\s*\n/)
    // Headings, lists, tables and codes are not running text.
    const prose = paragraphs.filter((paragraph) => /^[A-Z]/.test(paragraph) && !/[|`*_[\]<>]/.test(paragraph))
    for (const sentence of prose
      .join(' ')
      .replace(/\s+/g, ' ')
      .split(/(?<=[.?!]) (?=[A-Z])/)) {
      const length = sentence.split(' ').length
      if (length >= 6 && length <= 20) sentences.push(sentence.trim())
    }
  }
  const random = randomFrom(SEED)
  const drawn = sentences.map((sentence) => ({ sentence, at: random() })).sort((a, b) => a.at - b.at)
  return drawn.slice(0, count).map(({ sentence }) => sentence)
}

interface Said {
  words: string[]
  starts: number[]
}

/** Speaks the sentences in a voice, ten to a recording, and hears them again. */
export async function roundTrip(
  engine: FliteEngine,
  recogniser: Recogniser,
  voice: string,
  sentences: readonly string[],
): Promise<RoundTrip> {
  const known = await knownWords()
  const totals = {
    words: 0,
    errors: 0,
    knownWords: 0,
    knownErrors: 0,
    unknown: 0,
    sound: 0,
    speakingMs: 0,
    hearingMs: 0,
  }
  const startErrors: number[] = []
  for (let first = 0; first < sentences.length; first += BATCH) {
    const batch = sentences.slice(first, first + BATCH)
    const spokenAt = performance.now()
    const sounds: Sound[] = []
    for (const text of batch) sounds.push(await engine.speak({ text, voice, speed: 1 }, signal))
    totals.speakingMs += performance.now() - spokenAt
    const sound = joinSounds(sounds, PAUSE_SECONDS)
    const heardAt = performance.now()
    const heard = await transcribeLong(sound, recogniser, signal)
    totals.hearingMs += performance.now() - heardAt
    totals.sound += durationSeconds(sound)
    let at = 0
    for (const [i, text] of batch.entries()) {
      const until = at + durationSeconds(sounds[i]!) + PAUSE_SECONDS
      // A sentence's words are those that are heard while it is spoken: half of the pause on each side belongs to it.
      const [from, to] = [at - PAUSE_SECONDS / 2, until - PAUSE_SECONDS / 2]
      const mine = heard.filter(({ start, end }) => (start + end) / 2 >= from && (start + end) / 2 < to)
      const said = await wordsSaid(engine, text, voice, at)
      const heardWords = mine.flatMap((word) => normalisedWords(word.text).map((one) => ({ one, start: word.start })))
      const errors = wordErrors(
        said.words,
        heardWords.map(({ one }) => one),
      )
      const unknown = said.words.filter((word) => !known.has(word)).length
      totals.words += said.words.length
      totals.errors += errors
      totals.unknown += unknown
      if (unknown === 0) {
        totals.knownWords += said.words.length
        totals.knownErrors += errors
      }
      for (const [a, b] of alignedWords(
        said.words,
        heardWords.map(({ one }) => one),
      ))
        startErrors.push(Math.abs(heardWords[b]!.start - said.starts[a]!))
      at = until
    }
  }
  startErrors.sort((a, b) => a - b)
  const quantile = (share: number) => startErrors[Math.floor(share * (startErrors.length - 1))] ?? NaN
  return {
    voice,
    words: totals.words,
    wordErrorRate: totals.errors / totals.words,
    knownErrorRate: totals.knownErrors / totals.knownWords,
    unknownShare: totals.unknown / totals.words,
    startErrorMedian: quantile(0.5),
    startErrorP95: quantile(0.95),
    speakingFactor: totals.speakingMs / 1000 / totals.sound,
    hearingFactor: totals.hearingMs / 1000 / totals.sound,
  }
}

/** The sentence as the synthesiser says it, numbers and abbreviations written out, with its own times. */
async function wordsSaid(engine: FliteEngine, text: string, voice: string, offset: number): Promise<Said> {
  const timed = (await fliteWordTimes(engine, text, voice)).flatMap(({ text, start }) =>
    normalisedWords(text).map((word) => ({ word, start: start + offset })),
  )
  return { words: timed.map(({ word }) => word), starts: timed.map(({ start }) => start) }
}
