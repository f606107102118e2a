import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Speaker, Speakers } from '../../../contract/http/speakers.ts'
import { api } from '../../data/client.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { listSpeakers } from './speaker-client.ts'

/** Asking starts speech to text where it does not run, which may fetch a model: see `useSpeakers`. */
export const SPEAKERS = queryOptions({
  queryKey: ['speech', 'speakers'],
  queryFn: listSpeakers,
  // No event reports speakers.
  staleTime: 0,
})

/** Speakers that the recogniser can be fitted to. */
const fittedOf = (known: Speakers): Speaker[] => known.data.filter(({ fit }) => fit?.used === true)

/** The speaker that the recogniser is fitted to; null for none, and for one who is unknown or not fitted. */
export const chosenOf = (known: Speakers, preferred: string | null): Speaker | null =>
  fittedOf(known).find(({ id }) => id === preferred) ?? null

/** The enrolled speakers, asked for only while speech to text runs: a list never starts a service. */
export function useSpeakers() {
  const services = useQuery(api.services.list.queryOptions())
  const stt = services.data?.find(({ name }) => name === 'stt')
  const runs = stt?.state === 'ready' || stt?.state === 'external'
  const query = useQuery({ ...SPEAKERS, enabled: runs })
  const preferred = usePreferences(({ speaker }) => speaker)
  // What was listed before it was stopped may not hold any more.
  const known = runs ? query.data : undefined
  return {
    services,
    stt,
    runs,
    query,
    known,
    fitted: known === undefined ? [] : fittedOf(known),
    chosen: known === undefined ? null : chosenOf(known, preferred),
  }
}

/** Keeps the list in step with what the service answered, or reads it again. */
export function useSpeakerChanges() {
  const client = useQueryClient()
  const change = (next: (data: readonly Speaker[]) => Speaker[]): void => {
    client.setQueryData(SPEAKERS.queryKey, (now) => now && { ...now, data: next(now.data) })
  }
  return {
    keep: (speaker: Speaker): void => change((data) => data.map((each) => (each.id === speaker.id ? speaker : each))),
    forget: (id: string): void => change((data) => data.filter((each) => each.id !== id)),
    refresh: () => client.invalidateQueries({ queryKey: SPEAKERS.queryKey }),
  }
}
