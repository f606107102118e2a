import type { EngineVoice } from '../../../contract/index.ts'
import type { Sound } from '../../kit/audio/sound.ts'

/** One piece of text for an engine: short enough to be spoken in one go. */
export interface Utterance {
  text: string
  /** Identifier of one of the engine's voices. */
  voice: string
  /** Factor on the tempo. */
  speed: number
}

/** What turns text into sound. */
export interface SpeechEngine {
  readonly id: string
  readonly owner: string
  readonly license: string
  readonly description: string
  readonly languages: readonly string[]
  readonly sampleRate: number
  readonly voices: readonly EngineVoice[]
  /** Longest text of one utterance, in characters. */
  readonly maxCharacters: number
  /** Whether the next utterance can be spoken; false while weights are missing. */
  isInstalled(): Promise<boolean>
  speak(utterance: Utterance, signal: AbortSignal): Promise<Sound>
  close(): Promise<void>
}

/** An engine that speaks like a given clip. */
export interface CloningEngine {
  readonly id: string
  readonly owner: string
  readonly license: string
  readonly description: string
  readonly languages: readonly string[]
  readonly sampleRate: number
  isInstalled(): Promise<boolean>
  /** The sentences in the clip's voice, one sound each. `key` names the clip: what is learned of it is kept under this name. */
  speakLike(
    clip: { key: string; sound: Sound },
    sentences: readonly string[],
    speed: number,
    signal: AbortSignal,
  ): Promise<Sound[]>
  close(): Promise<void>
}
