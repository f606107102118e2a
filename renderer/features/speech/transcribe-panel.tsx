import { FileButton, Button, Loader } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useState } from 'react'
import { Panel } from '../../components/states.tsx'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useHearing } from './use-hearing.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.transcribePanel

const MAX_RECORDING_SECONDS = 300

/** Drop, choose or record a sound; read what was said. */
export function TranscribePanel() {
  const [sound, setSound] = useState<Blob | null>(null)
  /** How many files of the last drop were left out. */
  const [leftOut, setLeftOut] = useState(0)
  const [time, setTime] = useState(0)
  const [seek, setSeek] = useState<{ to: number } | null>(null)
  const hearing = useHearing()
  const take = (recording: Blob | null): void => {
    if (recording === null) return
    setSound(recording)
    setSeek(null)
    hearing.mutate(recording)
  }
  const takeAlone = (recording: Blob | null): void => {
    take(recording)
    setLeftOut(0)
  }
  return (
    <Panel title={WORDS.speechToText}>
      <div className={styles.actions}>
        <RecordButton maxSeconds={MAX_RECORDING_SECONDS} label={WORDS.record} onRecorded={takeAlone} />
        <FileButton accept="audio/*" onChange={takeAlone}>
          {(props) => (
            <Button variant="default" {...props}>
              {WORDS.chooseAFile}
            </Button>
          )}
        </FileButton>
      </div>
      <Dropzone
        onDropAny={(_, rest) => setLeftOut(rest.length)}
        onDrop={([file]) => take(file ?? null)}
        multiple={false}
        className={styles.drop}
      >
        {WORDS.drop}
      </Dropzone>
      {leftOut > 0 && <p role="status">{WORDS.onlyFirst(leftOut + 1)}</p>}
      {sound !== null && sound.size > 0 && (
        <Waveform sound={sound} label={WORDS.theRecording} seek={seek} onTime={setTime} />
      )}
      {hearing.isPending && (
        <p role="status" className={styles.actions}>
          <Loader size="xs" />
          {WORDS.listening}
        </p>
      )}
      {hearing.isError && <ServiceFault error={hearing.error} service="stt" />}
      {hearing.isSuccess && <TranscriptView transcript={hearing.data} time={time} onSeek={(to) => setSeek({ to })} />}
    </Panel>
  )
}
