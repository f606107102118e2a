import type { Sound } from '../../kit/audio/sound.ts'

/** A word as a recogniser heard it; seconds from the start of the sound it was given. */
export interface TimedWord {
  text: string
  start: number
  end: number
}

export const BACKENDS = ['onnx', 'sherpa', 'pocketsphinx'] as const
export type BackendName = (typeof BACKENDS)[number]

/** Where a model runs, as health reports it. */
export type Device = 'cpu' | 'mps' | 'cuda'

/** What is known of a recording before it is heard. */
export interface Hints {
  /** A text on what is talked about; empty for none. */
  prompt?: string
  /** A folder that `SpeakerFitting.fit` has written: the model of whoever speaks. */
  speakerModel?: string | null
  /** Its two letters; empty: the model's default. */
  language?: string
}

/** A sentence as a person read it: 16 kHz sound. */
export interface Reading {
  words: readonly string[]
  sound: Sound
}

/** How a recogniser is fitted to a speaker. */
export interface SpeakerFitting {
  /** Changes with the model that fits start from: what was fitted to another is of no use. */
  readonly basis: string
  /** Why it cannot be done here now and what to do; null when it can. */
  unavailability(): Promise<string | null>
  /** The words of a text as the recogniser writes them, and those that it does not know. */
  wordsOf(text: string): Promise<{ words: string[]; unknown: string[] }>
  /**
   * Writes a model fitted to these readings into an existing folder and tells how many of them matched their words and so were used. Rejects
   * with `BackendUnavailableError` where it is unavailable, and with the signal's reason.
   */
  fit(readings: readonly Reading[], folder: string, signal: AbortSignal): Promise<number>
}

/** Speech to words: a loaded model. */
export interface Recogniser {
  readonly backend: BackendName
  readonly model: string
  readonly license: string
  /** Where it really runs, whatever was asked for. */
  readonly device: Device
  /** Languages by their two letters; null: it finds out itself. */
  readonly languages: readonly string[] | null
  /** Whether the words' times are its own; where it has none, they are spread over the window, and only good for merging windows. */
  readonly isAligned: boolean
  /** Longest sound it takes in one go. */
  readonly windowSeconds: number
  /** Whether a text on what is talked about changes what it hears. */
  readonly usesPrompt: boolean
  /** Null: this kind of model is not fitted to speakers. */
  readonly fitting: SpeakerFitting | null
  /** The words of one window of 16 kHz sound, in order. Rejects with the signal's reason when it aborts. */
  recognise(sound: Sound, signal: AbortSignal, hints?: Hints): Promise<TimedWord[]>
  close(): Promise<void>
}

/** Rate that every recogniser gets its sound in. */
export const RECOGNISER_RATE = 16_000

/** A backend cannot be used here; the message says why and what to do. */
export class BackendUnavailableError extends Error {
  override readonly name = 'BackendUnavailableError'
  readonly code = 'backend_unavailable'
}
