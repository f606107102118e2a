import { useQuery } from '@tanstack/react-query'
import { EmptyPanel, LoadingRows, Page } from '../components/states.tsx'
import { ReadingFault } from '../features/speech/service-fault.tsx'
import { listVoices } from '../features/speech/speech-client.ts'
import { NewVoice } from '../features/voices/new-voice.tsx'
import { VoicePanel } from '../features/voices/voice-panel.tsx'

/** Registered voices, and how to make one. */
export function VoicesPage() {
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices })
  const { data, isPending } = voices
  return (
    <Page title="Voices">
      <NewVoice />
      {isPending && <LoadingRows rows={4} height={96} />}
      <ReadingFault query={voices} service="tts" />
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
