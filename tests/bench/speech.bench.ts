import { glob, readFile } from 'node:fs/promises'
import { stretch } from '../../providers/kit/audio/resample.ts'
import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import type { Recogniser } from '../../providers/stt/backends/recogniser.ts'
import { transcribeLong } from '../../providers/stt/windows/transcribe-long.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { VoiceFitEngine } from '../../providers/tts/engines/voice-fit/voice-fit-engine.ts'
import { medianPitch, trackPitch } from '../../providers/tts/signal/pitch.ts'
import { longTermSpectrum, spectralDistance } from '../../providers/tts/signal/spectrum.ts'
import { fliteWordTimes } from '../helpers/flite-word-times.ts'
import { atMost, shown } from './figure.ts'
import type { Figure } from './figure.ts'
import { plainWords, wordErrors } from '../helpers/word-errors.ts'

/** How well one voice is heard again. */
export interface RoundTrip {
  voice: string
  words: number
  /** Errors per word said. */
  wordErrorRate: number
  /** Distance of the heard from the synthesiser's own starts of words, over the words heard right; seconds. */
  startErrorMedian: number
  startErrorP95: number
  /** Time to speak and to hear, per second of sound. */
  speakingFactor: number
  hearingFactor: number
}

/** How close the cloning floor comes to a clip. */
export interface CloneFigures {
  clip: string
  clipF0: number
  spokenF0: number
  plainDistanceDb: number
  fittedDistanceDb: number
  /** Time to speak, after the clip was learned, per second of sound. */
  speakingFactor: number
}

const signal = new AbortController().signal
const PAUSE_SECONDS = 0.6
const BATCH = 10
const DICTIONARY = '/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict'

/**
 * Sentences of the curated corpus, evenly picked: 6 to 20 plain words, all in the recogniser's dictionary, because a word that it does not
 * hold it cannot write.
 */
export async function corpusSentences(count: number): Promise<string[]> {
  const dictionary = new Set((await readFile(DICTIONARY, 'utf8')).split('\n').map((line) => line.split(/[ (]/, 1)[0]))
  const files: string[] = []
  for await (const file of glob('corpus/subset/*.md')) files.push(file)
  const sentences: string[] = []
  for (const file of files.sort()) {
    const text = (await readFile(file, 'utf8')).replace(/^#.*$/gm, '').replace(/\s+/g, ' ')
    for (const [sentence] of text.matchAll(/[A-Z][a-z][a-z, ]+\./g)) {
      const words = plainWords(sentence)
      if (words.length >= 6 && words.length <= 20 && words.every((word) => dictionary.has(word)))
        sentences.push(sentence)
    }
  }
  const step = sentences.length / count
  return Array.from(
    { length: Math.min(count, sentences.length) },
    (_, i) => sentences[Math.floor(i * Math.max(1, step))]!,
  )
}

/** Speaks the sentences in a voice, ten to a recording, and hears them again. */
export async function roundTrip(
  engine: FliteEngine,
  recogniser: Recogniser,
  voice: string,
  sentences: readonly string[],
): Promise<RoundTrip> {
  const totals = { words: 0, errors: 0, sound: 0, speakingMs: 0, hearingMs: 0 }
  const startErrors: number[] = []
  for (let first = 0; first < sentences.length; first += BATCH) {
    const batch = sentences.slice(first, first + BATCH)
    const spokenAt = performance.now()
    const sounds: Sound[] = []
    for (const text of batch) sounds.push(await engine.speak({ text, voice, speed: 1 }, signal))
    totals.speakingMs += performance.now() - spokenAt
    const sound = joinSounds(sounds, PAUSE_SECONDS)
    const said: { text: string; start: number }[] = []
    let at = 0
    for (const [i, text] of batch.entries()) {
      for (const word of await fliteWordTimes(engine, text, voice))
        said.push({ text: word.text, start: word.start + at })
      at += durationSeconds(sounds[i]!) + PAUSE_SECONDS
    }
    const heardAt = performance.now()
    const heard = await transcribeLong(sound, recogniser, signal)
    totals.hearingMs += performance.now() - heardAt
    totals.sound += durationSeconds(sound)
    const saidWords = said.map(({ text }) => plainWords(text).join(''))
    totals.words += saidWords.length
    totals.errors += wordErrors(
      saidWords,
      heard.map(({ text }) => plainWords(text).join('')),
    )
    for (const word of heard) {
      const same = said.filter(({ text }) => plainWords(text).join('') === plainWords(word.text).join(''))
      const nearest = Math.min(...same.map(({ start }) => Math.abs(start - word.start)))
      // Further away it is another saying of the same word, heard in error.
      if (nearest < 1) startErrors.push(nearest)
    }
  }
  startErrors.sort((a, b) => a - b)
  const quantile = (share: number) => startErrors[Math.floor(share * (startErrors.length - 1))] ?? NaN
  return {
    voice,
    words: totals.words,
    wordErrorRate: totals.errors / totals.words,
    startErrorMedian: quantile(0.5),
    startErrorP95: quantile(0.95),
    speakingFactor: totals.speakingMs / 1000 / totals.sound,
    hearingFactor: totals.hearingMs / 1000 / totals.sound,
  }
}

/** Speakers that no engine has: a voice played slower or faster, which moves pitch and formants alike. */
export const CLIP_SPEAKERS = [
  ['rms', 0.92],
  ['kal16', 1.15],
  ['awb', 1.25],
  ['slt', 0.85],
  ['slt', 1.2],
] as const

const CLIP_TEXT =
  'When the sunlight strikes raindrops in the air, they act as a prism and form a rainbow. ' +
  'The rainbow is a division of white light into many beautiful colours, and people look for gold at its end.'
const SPOKEN_TEXTS = [
  'Nine of the twelve reports describe the same campaign, and three others name a supplier in the north.',
  'She had your dark suit in greasy wash water all year, while both boys measured how deep the lake was.',
  'Young children should never watch the old machine without somebody they trust beside them.',
]

/** Fits the plain voices to a clip of that speaker and measures texts that the fit has not seen. */
export async function cloneFigures(engine: FliteEngine, voice: string, factor: number): Promise<CloneFigures> {
  const clipSound = await engine.speak({ text: CLIP_TEXT, voice, speed: 1 }, signal)
  const clip = { samples: stretch(clipSound.samples, factor), sampleRate: clipSound.sampleRate }
  const fit = new VoiceFitEngine(engine)
  const key = `${voice} × ${factor}`
  await fit.speakLike({ key, sound: clip }, ['Ready.'], 1, signal)
  const begun = performance.now()
  const fitted = joinSounds(await fit.speakLike({ key, sound: clip }, SPOKEN_TEXTS, 1, signal), 0.1)
  const ms = performance.now() - begun
  const plain: Sound[] = []
  for (const text of SPOKEN_TEXTS)
    plain.push(await engine.speak({ text, voice: engine.voices[0]!.id, speed: 1 }, signal))
  const wanted = longTermSpectrum(clip)
  return {
    clip: key,
    clipF0: medianPitch(trackPitch(clip))!,
    spokenF0: medianPitch(trackPitch(fitted))!,
    plainDistanceDb: spectralDistance(longTermSpectrum(joinSounds(plain, 0.1)), wanted),
    fittedDistanceDb: spectralDistance(longTermSpectrum(fitted), wanted),
    speakingFactor: ms / 1000 / durationSeconds(fitted),
  }
}

export interface SpeechBench {
  roundTrips: RoundTrip[]
  clones: CloneFigures[]
}

/** Round trips of `sentences` sentences with every bundled voice, and the cloning floor for five speakers. */
export async function benchSpeech(sentences = 200): Promise<SpeechBench> {
  const engine = new FliteEngine()
  try {
    const recogniser = await openPocketsphinx()
    const texts = await corpusSentences(sentences)
    const roundTrips: RoundTrip[] = []
    for (const { id } of engine.voices) roundTrips.push(await roundTrip(engine, recogniser, id, texts))
    const clones: CloneFigures[] = []
    for (const [voice, factor] of CLIP_SPEAKERS) clones.push(await cloneFigures(engine, voice, factor))
    return { roundTrips, clones }
  } finally {
    await engine.close()
  }
}

/** The round trips and the cloning floor as figures of part F. */
export function speechFigures({ roundTrips, clones }: SpeechBench): Figure[] {
  const best = roundTrips.toSorted((a, b) => a.wordErrorRate - b.wordErrorRate)[0]!
  return [
    ...roundTrips.flatMap(({ voice, wordErrorRate, startErrorP95, speakingFactor, hearingFactor }) => [
      shown('F', `${voice}: word error rate, spoken by Flite and heard by PocketSphinx`, wordErrorRate * 100, '%'),
      shown('F', `${voice}: starts of words off by, 95 of 100`, startErrorP95 * 1000, 'ms'),
      shown('F', `${voice}: time to speak a second`, speakingFactor, 's'),
      shown('F', `${voice}: time to hear a second`, hearingFactor, 's'),
    ]),
    atMost('F', 'word error rate of the best voice', best.wordErrorRate * 100, '%', 12),
    atMost('F', 'its starts of words off by, median', best.startErrorMedian * 1000, 'ms', 150),
    ...clones.flatMap(({ clip, clipF0, spokenF0, plainDistanceDb, fittedDistanceDb, speakingFactor }) => [
      atMost('F', `voice-fit to ${clip}: median pitch off by`, Math.abs(spokenF0 / clipF0 - 1) * 100, '%', 5),
      atMost(
        'F',
        `voice-fit to ${clip}: spectral distance against the plain voice`,
        fittedDistanceDb / plainDistanceDb,
        '',
        0.5,
      ),
      shown('F', `voice-fit to ${clip}: time to speak a second`, speakingFactor, 's'),
    ]),
  ]
}
