import { resample } from '../../../kit/audio/resample.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { medianPitch, trackPitch } from '../../signal/pitch.ts'
import { shiftPitch } from '../../signal/shift-pitch.ts'
import { applyFilter, filterFor, longTermSpectrum } from '../../signal/spectrum.ts'
import type { CloningEngine, SpeechEngine } from '../speech-engine.ts'

/** Spoken once per clip by every plain voice, to find the one whose pitch is nearest. */
const AUDITION = 'The early bird sat on a high branch and watched five boats move past.'

/** Spoken once per clip by that voice, to learn how its spectrum differs; holds most sounds of English. */
const CALIBRATION =
  'The early bird sat on a high branch and watched five boats move slowly past the old harbour. ' +
  'Both judges thought the quick young farmer should buy those yellow shoes before he moved away. ' +
  'Nothing is as easy to find in a large garden as a pair of blue gloves; she chose another path, joined them at noon, ' +
  'and asked for bread, cheese, hot tea and a measure of peace.'
const KEPT_FITS = 32

/** These are taken over from a clip: how high the voice is, and how its energy is spread over the frequencies. */
interface VoiceTraits {
  medianF0: number
  spectrum: Float64Array
}

/** More than this would amplify noise that the plain voice has no speech in. */
const MAX_GAIN_DB = 24
const PEAK = 0.89

interface Fit {
  voice: string
  wanted: VoiceTraits
  filter: Float32Array
}

/**
 * The cloning floor: a plain voice whose median pitch and long-term spectral envelope are fitted to the clip. It takes over how high and how
 * bright the speaker sounds, neither accent nor manner; it needs no weights.
 */
export class VoiceFitEngine implements CloningEngine {
  readonly id = 'voice-fit'
  readonly aliases = []
  readonly owner = 'RAG Ladder'
  readonly license = 'MIT, over CMU Flite (BSD-style)'
  readonly description =
    'Bundled: fits pitch and spectral envelope of a Flite voice to the clip. Not a neural clone: accent and manner stay those of Flite.'
  readonly languages = ['en']
  readonly sampleRate = 16_000
  readonly weights = null
  readonly #plain: SpeechEngine
  readonly #fits = new Map<string, Promise<Fit>>()
  readonly #closing = new AbortController()

  constructor(plain: SpeechEngine) {
    this.#plain = plain
  }

  async speakLike(
    clip: { key: string; sound: Sound },
    sentences: readonly string[],
    speed: number,
    signal: AbortSignal,
  ): Promise<Sound[]> {
    const fit = await this.#fitFor(clip, signal)
    const plain: Sound[] = []
    for (const text of sentences) plain.push(await this.#plain.speak({ text, voice: fit.voice, speed }, signal))
    return plain.map((speech) => fitEnvelope(fitPitch(speech, fit.wanted), fit.filter))
  }

  async forget(key: string): Promise<void> {
    this.#fits.delete(key)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the engine is closed'))
    this.#fits.clear()
  }

  /**
   * The measures of a clip are shared by all who ask for it at the same time, so measuring does not end with the request that came first: a caller
   * who leaves stops waiting, and nothing else.
   */
  #fitFor(clip: { key: string; sound: Sound }, signal: AbortSignal): Promise<Fit> {
    const known = this.#fits.get(clip.key)
    if (known !== undefined) return untilAborted(known, signal)
    const learned = this.#learn(resample(clip.sound, this.sampleRate), this.#closing.signal)
    this.#fits.set(clip.key, learned)
    // A measurement that failed or was cancelled is made again next time.
    learned.catch(() => this.#fits.delete(clip.key))
    if (this.#fits.size > KEPT_FITS) this.#fits.delete(this.#fits.keys().next().value!)
    return untilAborted(learned, signal)
  }

  async #learn(clip: Sound, signal: AbortSignal): Promise<Fit> {
    const wanted = voiceTraits(clip)
    if (wanted === null) throw new HttpError(400, 'No voice was found in the clip')
    const candidates: { voice: string; traits: VoiceTraits }[] = []
    for (const { id } of this.#plain.voices) {
      const traits = voiceTraits(await this.#plain.speak({ text: AUDITION, voice: id, speed: 1 }, signal))
      if (traits !== null) candidates.push({ voice: id, traits })
    }
    // The smaller the shift, the fewer of its traces are audible.
    const octaves = ({ traits }: { traits: VoiceTraits }) => Math.abs(Math.log2(wanted.medianF0 / traits.medianF0))
    const [closest] = candidates.sort((a, b) => octaves(a) - octaves(b))
    if (closest === undefined) throw new Error('no plain voice could be measured')
    const plain = await this.#plain.speak({ text: CALIBRATION, voice: closest.voice, speed: 1 }, signal)
    return { voice: closest.voice, wanted, filter: envelopeFilter(fitPitch(plain, wanted), wanted.spectrum) }
  }
}

/** The value, or the signal's reason when it aborts first. */
async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([value, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The traits of a sound; null when it has no voice. */
function voiceTraits(sound: Sound): VoiceTraits | null {
  const medianF0 = medianPitch(trackPitch(sound))
  return medianF0 === null ? null : { medianF0, spectrum: longTermSpectrum(sound) }
}

/** The speech with the pitch of the wanted traits; unchanged when it has no voice. */
function fitPitch(speech: Sound, wanted: VoiceTraits): Sound {
  const frames = trackPitch(speech)
  const own = medianPitch(frames)
  if (own === null) return speech
  const ratio = wanted.medianF0 / own
  const shifted = shiftPitch(speech, frames, ratio)
  // Grains of another length shift the median a little; what is left is taken out once more from the plain speech.
  const reached = medianPitch(trackPitch(shifted)) ?? wanted.medianF0
  const correction = wanted.medianF0 / reached
  if (Math.abs(correction - 1) < 0.01 || Math.abs(correction - 1) > 0.25) return shifted
  return shiftPitch(speech, frames, ratio * correction)
}

/** Filter that turns the long-term spectrum of the speech into the wanted one: what a first filter leaves over, a second pass adds. */
function envelopeFilter(speech: Sound, wanted: Float64Array): Float32Array {
  let gains = new Float64Array(wanted.length)
  for (let pass = 0; pass < 2; pass += 1) {
    const filtered = pass === 0 ? speech : fitEnvelope(speech, filterFor(gains, speech.sampleRate))
    const reached = longTermSpectrum(filtered)
    gains = gains.map((gain, band) =>
      Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, gain + wanted[band]! - reached[band]!)),
    )
  }
  return filterFor(gains, speech.sampleRate)
}

/** The speech through the filter, as loud as before, turned down where it would clip. */
function fitEnvelope(speech: Sound, filter: Float32Array): Sound {
  const samples = applyFilter(speech.samples, filter)
  const gain = Math.min(rms(speech.samples) / Math.max(rms(samples), 1e-9), PEAK / Math.max(largest(samples), 1e-9))
  return { samples: samples.map((sample) => sample * gain), sampleRate: speech.sampleRate }
}

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length))
}

function largest(samples: Float32Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
}
