import { useIsMutating, useMutation, useMutationState } from '@tanstack/react-query'
import type { Speaker } from '../../../contract/http/speakers.ts'
import { notifyDone } from '../../components/notify.ts'
import { fitSpeaker } from './speaker-client.ts'
import { useSpeakerChanges } from './use-speakers.ts'

const ALL_FITS = ['speech', 'fit']

/** The fitting of the recogniser to a speaker. It goes on when the page is left, and is found again afterwards. */
export function useFitting({ id, name }: Speaker) {
  const { keep, refresh } = useSpeakerChanges()
  const mutationKey = [...ALL_FITS, id]
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: () => fitSpeaker(id),
    onSuccess: (speaker) => {
      keep(speaker)
      notifyDone(
        speaker.fit?.used === true
          ? `The recogniser was fitted to ${name}`
          : `The recogniser hears ${name} no better when fitted, and stays as it was`,
      )
    },
    // The error is not to wait for the list.
    onError: () => void refresh(),
  })
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1)
  return {
    start: () => mutate(),
    /** Milliseconds since 1970; null when none is under way. */
    since: last?.status === 'pending' ? last.submittedAt : null,
    error: last?.error ?? null,
    /** One takes all of the processor: a second one waits. */
    isAnyUnderWay: useIsMutating({ mutationKey: ALL_FITS }) > 0,
  }
}
