import type { Sound } from '../../kit/audio/sound.ts'

/** A recognized word; seconds from the start of the sound it was given. */
export interface TimedWord {
  text: string
  start: number
  end: number
  /** True where it follows the word before it without a space: after a hyphen, or in a script that has none. */
  isAttached?: true
}

export const BACKENDS = ['onnx', 'sherpa', 'pocketsphinx'] as const
export type BackendName = (typeof BACKENDS)[number]

/** A model runs on one of these, as health reports it. */
export type Device = 'cpu' | 'mps' | 'cuda'

/** Describes a recording before it is transcribed. */
export interface Hints {
  /** Its two letters; empty: the model's default. */
  language?: string
}

/** Speech to words: a loaded model. */
export interface Recognizer {
  readonly backend: BackendName
  readonly model: string
  readonly license: string
  /** It really runs on this device, whatever was asked for. */
  readonly device: Device
  /** Languages by their two letters; null: it finds out itself. */
  readonly languages: readonly string[] | null
  /** True when the words' times are its own; where it has none, they are spread over the window, and only good for merging windows. */
  readonly isAligned: boolean
  /** Longest sound it takes in one go. */
  readonly windowSeconds: number
  /** The words of one window of 16 kHz sound, in order. Rejects with the signal's reason when it aborts. */
  recognize(sound: Sound, signal: AbortSignal, hints?: Hints): Promise<TimedWord[]>
  close(): Promise<void>
}

/** Rate that every recognizer gets its sound in. */
export const RECOGNIZER_RATE = 16_000

/** A backend cannot be used here; the message states why and what to do. */
export class BackendUnavailableError extends Error {
  override readonly name = 'BackendUnavailableError'
  readonly code = 'backend_unavailable'
}
