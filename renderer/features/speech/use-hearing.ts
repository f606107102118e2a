import { useMutation } from '@tanstack/react-query'
import { requireContent } from './sound-buffer.ts'
import { transcribe } from './speech-client.ts'

interface Options {
  /** A text on what the recordings talk about. */
  prompt?: string
  onHeard?: (text: string) => void
}

/** Transcribes recordings. */
export function useHearing({ prompt = '', onHeard }: Options = {}) {
  return useMutation({
    mutationFn: async (recording: Blob) => {
      requireContent(recording)
      return transcribe(recording, prompt)
    },
    onSuccess: ({ text }) => onHeard?.(text),
  })
}
