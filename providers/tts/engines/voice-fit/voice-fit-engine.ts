import { resample } from '../../../kit/audio/resample.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { HttpError } from '../../../kit/http-error.ts'
import type { CloningEngine, SpeechEngine } from '../speech-engine.ts'
import { envelopeFilter, fitEnvelope, fitPitch, voiceTraits } from './fit-voice.ts'
import type { VoiceTraits } from './fit-voice.ts'

/** Spoken once per clip by every plain voice, to find the one whose pitch is nearest. */
const AUDITION = 'The early bird sat on a high branch and watched five boats move past.'

/** Spoken once per clip by that voice, to learn how its spectrum differs; holds most sounds of English. */
const CALIBRATION =
  'The early bird sat on a high branch and watched five boats move slowly past the old harbour. ' +
  'Both judges thought the quick young farmer should buy those yellow shoes before he moved away. ' +
  'Nothing is as easy to find in a large garden as a pair of blue gloves; she chose another path, joined them at noon, ' +
  'and asked for bread, cheese, hot tea and a measure of peace.'
const KEPT_FITS = 32

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
   * What is learned of a clip is shared by all who ask for it at the same time, so it does not end with the request that came first: a caller
   * who leaves stops waiting, and nothing else.
   */
  #fitFor(clip: { key: string; sound: Sound }, signal: AbortSignal): Promise<Fit> {
    const known = this.#fits.get(clip.key)
    if (known !== undefined) return untilAborted(known, signal)
    const learned = this.#learn(resample(clip.sound, this.sampleRate), this.#closing.signal)
    this.#fits.set(clip.key, learned)
    // What failed or was cancelled is learned again next time.
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
