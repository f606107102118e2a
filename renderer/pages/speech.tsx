import { Page } from '../components/states.tsx'
import { SpeakersPanel } from '../features/speakers/speakers-panel.tsx'
import { SpeakPanel } from '../features/speech/speak-panel.tsx'
import { TranscribePanel } from '../features/speech/transcribe-panel.tsx'
import { SPEECH_WORDS } from '../features/speech/speech-words.ts'

const WORDS = SPEECH_WORDS.page

/** Speech to text, text to speech, and the people whom the recogniser knows. */
export function SpeechPage() {
  return (
    <Page title={WORDS.speech}>
      <TranscribePanel />
      <SpeakPanel />
      <SpeakersPanel />
    </Page>
  )
}
