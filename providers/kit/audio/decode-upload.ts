import { HttpError } from '../http-error.ts'
import { decodeInWorker } from './decode-in-worker.ts'
import type { DecodeTask } from './decode-in-worker.ts'
import { AudioError } from './sound.ts'

/** The sound of an upload. What cannot be read is the sender's fault: 400 for empty or too long, 415 for the rest, each with its reason. */
export async function decodeUpload(task: DecodeTask, signal: AbortSignal) {
  try {
    return await decodeInWorker(task, signal)
  } catch (cause) {
    if (!(cause instanceof AudioError)) throw cause
    const status = cause.code === 'audio_empty' || cause.code === 'audio_too_long' ? 400 : 415
    throw new HttpError(status, cause.message, { type: 'file_processing_error', cause })
  }
}
