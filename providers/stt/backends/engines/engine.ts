import type { Device, TimedWord } from '../recognizer.ts'
import type { EngineKind } from '../recognition-models.ts'

/** A setting asks for one of these: `auto` takes the graphics part of Apple's chips where the runtime offers it, else the processor. */
export type WantedDevice = Device | 'auto'

/** A model to load, as the recognizing process is asked for it. */
export interface EngineOrder {
  kind: EngineKind
  folder: string
  device: WantedDevice
  /** Folder from which the sherpa package is found; null for the other kinds. */
  sherpaFolder: string | null
}

/** A loaded engine reports this about itself. */
export interface EngineFacts {
  device: Device
  isAligned: boolean
  /** Why it does not run where it was asked to; null when it does. */
  note: string | null
}

/** The note of what runs on the processor though another device was asked for; null where none was. */
export function processorInstead(wanted: WantedDevice, reason: string): string | null {
  if (wanted === 'auto' || wanted === 'cpu') return null
  return `${wanted} could not be used, so the processor is: ${reason}`
}

/** A loaded model in the recognizing process. */
export interface Engine extends EngineFacts {
  /** The words of one window of 16 kHz sound, in the language of these two letters or the model's default; times of one that is not aligned are spread. */
  recognize(samples: Float32Array, language: string): Promise<TimedWord[]>
}

/** The engine's own package is not installed; the message states how to install it. */
export class EngineMissingError extends Error {
  override readonly name = 'EngineMissingError'
}
