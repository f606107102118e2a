import { createHash } from 'node:crypto'
import { resample } from '../kit/audio/resample.ts'
import type { Sound } from '../kit/audio/sound.ts'
import { encodeWav } from '../kit/audio/wav-file.ts'
import { HttpError } from '../kit/http-error.ts'
import { notInstalled } from './engines/over-weights.ts'
import { engineNamed, isInstalled, type CloningEngine, type SpeechEngine } from './engines/speech-engine.ts'
import { joinSpeech, splitSentences } from './text/spoken-sentences.ts'
import { isSpeakable, unspokenLetters, withoutMarkup } from './text/plain-speech.ts'
import { unknownVoice, type VoiceStore } from './voices/voice-store.ts'

/** Describes what is to be spoken, and how. */
export interface SpeechOrder {
  input: string
  /** Null takes the engine that has the voice, or the default one. */
  model: string | null
  voice: string | null
  /** A clip that came with the order; its voice is used and nothing is kept. */
  clip: Sound | null
  speed: number
  sampleRate: number | null
}

export interface SpeechDeskOptions {
  engines: readonly SpeechEngine[]
  cloningEngines: readonly CloningEngine[]
  voices: VoiceStore
  /** Model of an order that names neither model nor voice. */
  defaultModel: string
}

const MAX_CLONED_CHARACTERS = 280

/** Voices of OpenAI's API, which its clients name without asking: they get the engine's first voice. */
const OPENAI_VOICES = new Set('alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' '))

/** Takes orders for speech: finds engine and voice, splits the text at sentences, joins what was spoken. */
export class SpeechDesk {
  readonly #options: SpeechDeskOptions

  constructor(options: SpeechDeskOptions) {
    this.#options = options
  }

  /**
   * The sound, and how many letters of the text were left out of it. Throws 404 for a model or voice that is unknown or not downloaded, 400 for what cannot be spoken.
   */
  async speak(order: SpeechOrder, signal: AbortSignal): Promise<{ sound: Sound; unspoken: number }> {
    const text = withoutMarkup(order.input)
    if (!isSpeakable(text)) throw new HttpError(400, 'The text holds nothing that can be spoken')
    const parts = await this.#speakParts(order, text, signal)
    const sound = joinSpeech(parts)
    return {
      sound: order.sampleRate === null ? sound : resample(sound, order.sampleRate),
      unspoken: unspokenLetters(text),
    }
  }

  async #speakParts(order: SpeechOrder, text: string, signal: AbortSignal): Promise<Sound[]> {
    const engine = await this.#engineFor(order)
    if (!(await isInstalled(engine))) throw notInstalled(engine.id)
    if (isCloning(engine)) {
      const clip = await this.#clipFor(order, engine.id)
      return engine.speakLike(clip, splitSentences(text, MAX_CLONED_CHARACTERS), order.speed, signal)
    }
    const asked = order.voice ?? engine.voices[0]!.id
    const isKnown = engine.voices.some(({ id }) => id === asked)
    const isOpenAi = !isKnown && OPENAI_VOICES.has(asked) && (await this.#options.voices.find(asked)) === null
    if (!isKnown && !isOpenAi) throw await this.#strangeVoice(asked, engine)
    const voice = isOpenAi ? engine.voices[0]!.id : asked
    const sounds: Sound[] = []
    for (const sentence of splitSentences(text, engine.maxCharacters)) {
      if (!isSpeakable(sentence)) continue
      sounds.push(await engine.speak({ text: sentence, voice, speed: order.speed }, signal))
    }
    return sounds
  }

  async #engineFor({ model, voice, clip }: SpeechOrder): Promise<SpeechEngine | CloningEngine> {
    const { engines, cloningEngines, voices, defaultModel } = this.#options
    const all = [...engines, ...cloningEngines]
    if (model !== null) {
      const engine = engineNamed(all, model)
      if (engine === undefined)
        throw new HttpError(404, `Model '${model}' is unknown. GET /v1/models lists the models.`)
      if (clip === null || isCloning(engine)) return engine
      throw new HttpError(
        400,
        `Model '${model}' cannot speak like a clip; ${cloningEngines.map(({ id }) => id).join(', ')} can`,
      )
    }
    const fitting = engines.find((engine) => engine.voices.some(({ id }) => id === voice))
    if (voice !== null && clip === null && fitting !== undefined) return fitting
    if (clip !== null || (voice !== null && (await voices.find(voice)) !== null)) return cloningEngines[0]!
    if (voice !== null && OPENAI_VOICES.has(voice))
      return engines.find((engine) => engine.weights === null) ?? engines[0]!
    if (voice !== null) throw this.#unknownVoice(voice)
    return all.find((engine) => engine.id === defaultModel)!
  }

  async #clipFor({ voice, clip }: SpeechOrder, model: string): Promise<{ key: string; sound: Sound }> {
    if (clip !== null) return { key: createHash('sha256').update(encodeWav(clip)).digest('hex'), sound: clip }
    if (voice === null) {
      throw new HttpError(400, `Model '${model}' needs a registered voice or a voice_file`, { param: 'voice' })
    }
    const registered = await this.#options.voices.clip(voice)
    if (registered === null) throw unknownVoice(voice)
    return registered
  }

  #unknownVoice(voice: string): HttpError {
    const own = this.#options.engines.map(({ id, voices }) => `${id} has ${voices.map((known) => known.id).join(', ')}`)
    return unknownVoice(voice, `${own.join('; ')}.`)
  }

  async #strangeVoice(voice: string, engine: SpeechEngine): Promise<HttpError> {
    if ((await this.#options.voices.find(voice)) === null) {
      const known = engine.voices.map(({ id }) => id).join(', ')
      return new HttpError(404, `Voice '${voice}' is unknown. Model '${engine.id}' has ${known}.`, {
        type: 'voice_not_found_error',
      })
    }
    const cloning = this.#options.cloningEngines.map(({ id }) => id).join(' or ')
    return new HttpError(400, `Voice '${voice}' is a registered clip: use it with the model ${cloning}`)
  }
}

function isCloning(engine: SpeechEngine | CloningEngine): engine is CloningEngine {
  return 'speakLike' in engine
}
