import { useQuery } from '@tanstack/react-query'
import { EmptyPanel, LoadingRows, Page } from '../components/states.tsx'
import { ReadingFault } from '../features/speech/service-fault.tsx'
import { listVoices } from '../features/speech/speech-client.ts'
import { NewVoice } from '../features/voices/new-voice.tsx'
import { VoicePanel } from '../features/voices/voice-panel.tsx'
import { VOICES_WORDS } from '../features/voices/voices-words.ts'

const WORDS = VOICES_WORDS.page

/** Registered voices, and how to make one. */
export function VoicesPage() {
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices })
  const { data, isPending } = voices
  return (
    <Page title={WORDS.voices}>
      <NewVoice />
      {isPending && <LoadingRows rows={4} height={96} />}
      <ReadingFault query={voices} service="tts" />
      {data?.length === 0 && (
        <EmptyPanel title={WORDS.noVoiceYet}>
          <p>{WORDS.noVoiceText}</p>
        </EmptyPanel>
      )}
      {data?.map((voice) => (
        <VoicePanel key={voice.name} voice={voice} />
      ))}
    </Page>
  )
}
