import { moduleEntry } from '../module-entry.ts'
import { runInWorker } from '../run-in-worker.ts'
import { AudioError } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'

export interface DecodeTask {
  bytes: Uint8Array
  maxSeconds: number
  /** Rate to change to; null keeps the file's own. */
  sampleRate: number | null
}

export type DecodeOutcome =
  | { ok: true; sound: Sound; format: string; channels: number; sourceRate: number }
  | { ok: false; code: AudioError['code']; message: string }

/** `decodeAudio` beside the event loop, with the sound at `sampleRate`. Throws `AudioError`; ends with the signal. */
export async function decodeInWorker(
  task: DecodeTask,
  signal: AbortSignal,
): Promise<DecodedAudio & { sourceRate: number }> {
  const outcome = await runInWorker<DecodeOutcome>(moduleEntry('./decode-worker', import.meta.url), task, signal)
  if (!outcome.ok) throw new AudioError(outcome.code, outcome.message)
  return outcome
}
