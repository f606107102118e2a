import { Page } from '../components/states.tsx'
import { SpeakPanel } from '../features/speech/speak-panel.tsx'
import { TranscribePanel } from '../features/speech/transcribe-panel.tsx'

/** Speech to text, and text to speech. */
export function SpeechPage() {
  return (
    <Page title="Speech">
      <TranscribePanel />
      <SpeakPanel />
    </Page>
  )
}
