import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdvancedTranscription } from '../../../contract/http/speech.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { chosenOf, SPEAKERS } from '../speakers/use-speakers.ts'
import { requireContent } from './sound-buffer.ts'
import { transcribe } from './speech-client.ts'

export interface Heard extends AdvancedTranscription {
  /** Name of the speaker to whom the recogniser was fitted, if it was. */
  fittedTo: string | undefined
}

interface Options {
  /** A text on what the recordings talk about. */
  prompt?: string
  onHeard?: (text: string) => void
}

/** Has recordings written down as those of the speaker who was chosen, if any. */
export function useHearing({ prompt = '', onHeard }: Options = {}) {
  const client = useQueryClient()
  const preferred = usePreferences(({ speaker }) => speaker)
  return useMutation({
    mutationFn: async (recording: Blob): Promise<Heard> => {
      requireContent(recording)
      // Read again: the service may have started just for this, and the speaker may have been deleted elsewhere.
      const chosen = preferred === null ? null : chosenOf(await client.query(SPEAKERS), preferred)
      const heard = await transcribe(recording, { prompt, speaker: chosen?.id ?? '' })
      return { ...heard, fittedTo: heard.speaker_used === true ? chosen?.name : undefined }
    },
    onSuccess: ({ text }) => onHeard?.(text),
  })
}
