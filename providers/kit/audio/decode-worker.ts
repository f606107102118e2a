import { parentPort, workerData } from 'node:worker_threads'
import { decodeAudio } from './decode-audio.ts'
import { resample } from './resample.ts'
import { AudioError } from './sound.ts'
import type { DecodeTask, DecodeOutcome } from './decode-in-worker.ts'

const { bytes, maxSeconds, sampleRate } = workerData as DecodeTask
const outcome = await decodeAudio(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxSeconds).then(
  ({ sound, format, channels }): DecodeOutcome => {
    const sourceRate = sound.sampleRate
    return { ok: true, sound: sampleRate === null ? sound : resample(sound, sampleRate), format, channels, sourceRate }
  },
  (error: unknown): DecodeOutcome => {
    if (error instanceof AudioError) return { ok: false, code: error.code, message: error.message }
    throw error
  },
)
parentPort!.postMessage(outcome, outcome.ok ? [outcome.sound.samples.buffer as ArrayBuffer] : [])
