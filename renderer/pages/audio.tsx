import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { EmptyPanel, LoadingRows } from '../components/states.tsx'
import { ToolPage } from '../components/tool-page.tsx'
import { ReadingFault } from '../features/speech/service-fault.tsx'
import { SpeakPanel } from '../features/speech/speak-panel.tsx'
import { listVoices } from '../features/speech/speech-client.ts'
import { SPEECH_WORDS } from '../features/speech/speech-words.ts'
import { TranscribePanel } from '../features/speech/transcribe-panel.tsx'
import { NewVoice } from '../features/voices/new-voice.tsx'
import { VoicePanel } from '../features/voices/voice-panel.tsx'
import { VOICES_WORDS } from '../features/voices/voices-words.ts'

const WORDS = SPEECH_WORDS.page

/** Speech to text, text to speech, and the voices that speak. */
export function AudioPage() {
  const { view = 'transcribe' } = useSearch({ from: '/tools/audio' })
  const navigate = useNavigate({ from: '/tools/audio' })
  return (
    <ToolPage
      aside={
        <SegmentedControl
          size="xs"
          aria-label={WORDS.parts}
          data={WORDS.views}
          value={view}
          onChange={(value) => void navigate({ search: { view: value } })}
        />
      }
    >
      {view === 'transcribe' && <TranscribePanel />}
      {view === 'speak' && <SpeakPanel />}
      {view === 'voices' && <Voices />}
    </ToolPage>
  )
}

/** Registered voices, and how to make one. */
function Voices() {
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices })
  const { data, isPending } = voices
  return (
    <>
      <NewVoice />
      {isPending && <LoadingRows rows={4} height={96} />}
      <ReadingFault query={voices} service="tts" />
      {data?.length === 0 && (
        <EmptyPanel title={VOICES_WORDS.page.noVoiceYet}>
          <p>{VOICES_WORDS.page.noVoiceText}</p>
        </EmptyPanel>
      )}
      {data?.map((voice) => (
        <VoicePanel key={voice.name} voice={voice} />
      ))}
    </>
  )
}
