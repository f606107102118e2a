import { Page } from '../components/states.tsx'
import { SpeakersPanel } from '../features/speakers/speakers-panel.tsx'
import { SpeakPanel } from '../features/speech/speak-panel.tsx'
import { TranscribePanel } from '../features/speech/transcribe-panel.tsx'

/** Speech to text, text to speech, and the people whom the recogniser knows. */
export function SpeechPage() {
  return (
    <Page title="Speech">
      <TranscribePanel />
      <SpeakPanel />
      <SpeakersPanel />
    </Page>
  )
}
