import { FileButton, Button, Loader } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useState } from 'react'
import { Panel } from '../../components/states.tsx'
import { SpeakerSelect } from '../speakers/speaker-select.tsx'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useHearing } from './use-hearing.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'

const MAX_RECORDING_SECONDS = 300

/** Drop, choose or record a sound; read what was said. */
export function TranscribePanel() {
  const [sound, setSound] = useState<Blob | null>(null)
  const [time, setTime] = useState(0)
  const [seek, setSeek] = useState<{ to: number } | null>(null)
  const hearing = useHearing()
  const take = (recording: Blob | null): void => {
    if (recording === null) return
    setSound(recording)
    setSeek(null)
    hearing.mutate(recording)
  }
  return (
    <Panel title="Speech to text">
      <SpeakerSelect />
      <div className={styles.actions}>
        <RecordButton maxSeconds={MAX_RECORDING_SECONDS} label="Record" onRecorded={take} />
        <FileButton accept="audio/*" onChange={take}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
      <Dropzone onDrop={([file]) => take(file ?? null)} multiple={false} className={styles.drop}>
        Drop a recording here: WAV, MP3, FLAC, Opus, WebM
      </Dropzone>
      {sound && <Waveform sound={sound} label="the recording" seek={seek} onTime={setTime} />}
      {hearing.isPending && (
        <p role="status" className={styles.actions}>
          <Loader size="xs" /> Listening…
        </p>
      )}
      {hearing.isError && <ServiceFault error={hearing.error} service="stt" />}
      {hearing.data?.fittedTo !== undefined && <p className="dim">Fitted to {hearing.data.fittedTo}.</p>}
      {hearing.isSuccess && <TranscriptView transcript={hearing.data} time={time} onSeek={(to) => setSeek({ to })} />}
    </Panel>
  )
}
