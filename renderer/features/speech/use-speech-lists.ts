import { useQuery } from '@tanstack/react-query'
import { api } from '../../data/client.ts'
import { listVoices, speechModels } from './speech-client.ts'

/** Engines and voices. Asking starts text to speech where it does not run, so that waits until somebody uses it: a page that is looked at starts nothing. */
export function useSpeechLists(isUsed: boolean) {
  const services = useQuery(api.services.list.queryOptions())
  const tts = services.data?.find(({ name }) => name === 'tts')
  const enabled = isUsed || tts?.state === 'ready' || tts?.state === 'external'
  const models = useQuery({ queryKey: ['speech', 'models'], queryFn: speechModels, enabled })
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices, enabled })
  return { models, voices, isAbsent: tts?.state === 'absent' }
}
