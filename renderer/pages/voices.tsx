import { useQuery } from '@tanstack/react-query'
import { EmptyPanel, LoadingRows, Page } from '../components/states.tsx'
import { ServiceFault } from '../features/speech/service-fault.tsx'
import { listVoices } from '../features/speech/speech-client.ts'
import { NewVoice } from '../features/voices/new-voice.tsx'
import { VoicePanel } from '../features/voices/voice-panel.tsx'

/** Registered voices, and how to make one. */
export function VoicesPage() {
  const { data, isPending, isError, error } = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices })
  return (
    <Page title="Voices">
      <NewVoice />
      {isPending && <LoadingRows rows={4} height={96} />}
      {isError && <ServiceFault error={error} service="tts" />}
      {data?.length === 0 && (
        <EmptyPanel title="No voice yet">
          <p>Record or choose a clip above. The bundled engine takes over pitch and timbre, not accent or manner.</p>
        </EmptyPanel>
      )}
      {data?.map((voice) => (
        <VoicePanel key={voice.name} voice={voice} />
      ))}
    </Page>
  )
}
