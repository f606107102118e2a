import { create } from 'zustand'
import type { AdvancedTranscription } from '../../contract/http/speech.ts'
import { requireContent } from '../features/speech/sound-buffer.ts'
import { transcribe } from '../features/speech/speech-client.ts'

/** The last recording of the tool Audio and what became of it; kept when the page is left, until the tab is closed. */
interface Transcription {
  sound: Blob | null
  /** States when the request under way began; null for none. */
  startedAt: number | null
  result: AdvancedTranscription | null
  error: Error | null
  start: (sound: Blob) => void
  /** Ends the request under way; the recording stays. */
  cancel: () => void
}

let underWay: AbortController | null = null

export const useTranscription = create<Transcription>()((set) => ({
  sound: null,
  startedAt: null,
  result: null,
  error: null,
  start: (sound) => {
    underWay?.abort()
    const stop = new AbortController()
    underWay = stop
    set({ sound, startedAt: Date.now(), result: null, error: null })
    const settle = (part: Partial<Transcription>): void => {
      // Of a request that was cancelled or replaced, nothing is shown.
      if (underWay === stop) set({ startedAt: null, ...part })
    }
    const work = async (): Promise<AdvancedTranscription> => {
      requireContent(sound)
      return transcribe(sound, '', stop.signal)
    }
    work().then(
      (result) => settle({ result }),
      (error: unknown) => settle({ error: error instanceof Error ? error : new Error(String(error)) }),
    )
  },
  cancel: () => {
    underWay?.abort()
    underWay = null
    set({ startedAt: null })
  },
}))
