import { stretch } from '../../providers/kit/audio/resample.ts'
import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import { ModelStore } from '../../providers/kit/models/model-store.ts'
import { chooseBackend, readyBackends } from '../../providers/stt/backends/choose-backend.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import { loadSttConfig } from '../../providers/stt/config.ts'
import { transcribeLong } from '../../providers/stt/windows/transcribe-long.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { VoiceFitEngine } from '../../providers/tts/engines/voice-fit/voice-fit-engine.ts'
import { medianPitch, trackPitch } from '../../providers/tts/signal/pitch.ts'
import { longTermSpectrum } from '../../providers/tts/signal/spectrum.ts'
import { atMost, shown } from './figure.ts'
import type { Figure } from './figure.ts'
import { roundTrip } from './speech-round-trip.ts'
import type { Heard, RoundTrip } from './speech-round-trip.ts'
import { spokenSample } from './spoken-sample.ts'

/** Describes how close the cloning floor comes to a clip. */
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

/** Speakers that no engine has: a voice played slower or faster, which moves pitch and formants alike. */
const CLIP_SPEAKERS = [
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

/** Describes how fast one backend transcribes, in seconds per second of sound; only of those that need no download here. */
export interface HearingSpeed {
  backend: string
  model: string
  factor: number
}

export interface SpeechBench {
  roundTrips: RoundTrip[]
  hearing: HearingSpeed[]
  clones: CloneFigures[]
}

/** Speeds of the backends whose models are here, over a minute and a half of speech. */
async function hearingSpeeds(engine: FliteEngine, texts: readonly string[]): Promise<HearingSpeed[]> {
  const config = loadSttConfig(process.env)
  const store = new ModelStore()
  const sounds: Sound[] = []
  for (const text of texts) sounds.push(await engine.speak({ text, voice: engine.voices[0]!.id, speed: 1 }, signal))
  const sound = joinSounds(sounds, 0.6)
  const speeds: HearingSpeed[] = []
  for (const backend of await readyBackends(config, store)) {
    const { recognizer } = await chooseBackend({ ...config, backend }, store)(() => undefined, signal)
    const begun = performance.now()
    await transcribeLong(sound, recognizer, signal)
    const factor = (performance.now() - begun) / 1000 / durationSeconds(sound)
    speeds.push({ backend, model: recognizer.model, factor })
    await recognizer.close()
  }
  return speeds
}

/** All voices, or those that `RAG_LADDER_BENCH_VOICES` names: each takes minutes. */
function voicesOf({ voices }: FliteEngine): FliteEngine['voices'] {
  const named = process.env.RAG_LADDER_BENCH_VOICES?.split(',')
  return named === undefined ? voices : voices.filter(({ id }) => named.includes(id))
}

/** Round trips of the sample with every bundled voice, and the cloning floor for five speakers. */
export async function benchSpeech(): Promise<SpeechBench> {
  const engine = new FliteEngine()
  try {
    const recognizer = await openPocketsphinx()
    const sample = await spokenSample()
    const texts = sample.flatMap(({ sentences }) => sentences)
    const roundTrips: RoundTrip[] = []
    for (const { id } of voicesOf(engine)) roundTrips.push(await roundTrip(engine, recognizer, id, sample))
    const hearing = await hearingSpeeds(engine, texts.slice(0, 20))
    const clones: CloneFigures[] = []
    for (const [voice, factor] of CLIP_SPEAKERS) clones.push(await cloneFigures(engine, voice, factor))
    return { roundTrips, hearing, clones }
  } finally {
    await engine.close()
  }
}

/** The round trips and the cloning floor as figures of part F. */
export function speechFigures({ roundTrips, hearing, clones }: SpeechBench): Figure[] {
  const questionRate = ({ questionErrors, questionWords }: Heard): number => (questionErrors / questionWords) * 100
  const rate = ({ errors, words }: Heard): number => (errors / words) * 100
  const best = roundTrips.toSorted((a, b) => rate(a.plain) - rate(b.plain))[0]!
  return [
    ...roundTrips.flatMap(({ voice, plain, startErrorP95, speakingFactor, hearingFactor }) => [
      shown('F', `${voice}: word error rate, spoken by Flite and transcribed by PocketSphinx`, rate(plain), '%'),
      shown('F', `${voice}: questions alone`, questionRate(plain), '%'),
      shown('F', `${voice}: starts of words off by, 95 of 100`, startErrorP95 * 1000, 'ms'),
      shown('F', `${voice}: time to speak a second`, speakingFactor, 's'),
      shown('F', `${voice}: time to transcribe a second, two at a time`, hearingFactor, 's'),
    ]),
    shown('F', 'the best voice: starts of words off by, median', best.startErrorMedian * 1000, 'ms'),
    atMost('F', 'the best voice: starts of words off by, 95 of 100', best.startErrorP95 * 1000, 'ms', 150),
    ...hearing.map(({ backend, model, factor }) =>
      shown('F', `${backend}, ${model}: time to transcribe a second`, factor, 's'),
    ),
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

/** Root mean square of the difference of two spectra of the same rate, in decibels. */
function spectralDistance(a: Float64Array, b: Float64Array): number {
  const squares = a.reduce((sum, level, i) => sum + (level - b[i]!) ** 2, 0)
  return Math.sqrt(squares / a.length)
}
