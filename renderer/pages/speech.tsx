import { Page } from '../components/states.tsx'
import { SpeakPanel } from '../features/speech/speak-panel.tsx'
import { TranscribePanel } from '../features/speech/transcribe-panel.tsx'
import { SPEECH_WORDS } from '../features/speech/speech-words.ts'

const WORDS = SPEECH_WORDS.page

/** Speech to text, and text to speech. */
export function SpeechPage() {
  return (
    <Page title={WORDS.speech}>
      <TranscribePanel />
      <SpeakPanel />
    </Page>
  )
}
