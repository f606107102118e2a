import type { EngineVoice } from '../../../contract/http/speech.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import type { ModelWeights } from '../../kit/models/model-weights.ts'

/** One piece of text for an engine: short enough to be spoken in one go. */
export interface Utterance {
  text: string
  /** Identifier of one of the engine's voices. */
  voice: string
  /** Factor on the tempo. */
  speed: number
}

/** Every engine reports this, whichever way it speaks. */
export interface EngineCard {
  readonly id: string
  /** Other names under which it is asked for: of its weights, and of the products whose clients come here. */
  readonly aliases: readonly string[]
  readonly owner: string
  readonly license: string
  readonly description: string
  readonly languages: readonly string[]
  readonly sampleRate: number
  /** Null for what is part of the installation. */
  readonly weights: ModelWeights | null
  close(): Promise<void>
}

/** Turns text into sound. */
export interface SpeechEngine extends EngineCard {
  readonly voices: readonly EngineVoice[]
  /** Longest text of one utterance, in characters. */
  readonly maxCharacters: number
  speak(utterance: Utterance, signal: AbortSignal): Promise<Sound>
}

/** An engine that speaks like a given clip. */
export interface CloningEngine extends EngineCard {
  /** The sentences in the clip's voice, one sound each. `key` names the clip: what is learned of it is kept under this name. */
  speakLike(
    clip: { key: string; sound: Sound },
    sentences: readonly string[],
    speed: number,
    signal: AbortSignal,
  ): Promise<Sound[]>
  /** Forgets what was learned of that clip. */
  forget(key: string): Promise<void>
}

/** Returns true when the engine can speak now. */
export async function isInstalled({ weights }: EngineCard): Promise<boolean> {
  return weights === null || (await weights.folder()) !== null
}

/** The engine of that id, or of one of the other names. */
export function engineNamed<Engine extends EngineCard>(engines: readonly Engine[], name: string): Engine | undefined {
  return engines.find(({ id, aliases }) => id === name || aliases.includes(name))
}
