import { Button, Loader } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ExperimentalMark } from '../../components/experimental-mark.tsx'
import { FilePicker } from '../../components/file-dropzone.tsx'
import { Panel } from '../../components/states.tsx'
import { RecordButton } from './record-button.tsx'
import { ServiceFault } from './service-fault.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useNow } from '../../components/use-now.ts'
import { useTranscription } from '../../stores/transcription.ts'
import { modelsOf } from '../services/models-of.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.transcribePanel

const MAX_RECORDING_SECONDS = 300

/** Drop, choose or record a sound; read what was said. */
export function TranscribePanel() {
  /** Counts the files of the last drop that were left out. */
  const [leftOut, setLeftOut] = useState(0)
  const [time, setTime] = useState(0)
  const [seek, setSeek] = useState<{ to: number } | null>(null)
  const { sound, startedAt, result, error, start, cancel } = useTranscription()
  const take = (recording: Blob | null): void => {
    if (recording === null) return
    setSeek(null)
    start(recording)
  }
  const takeAlone = (recording: Blob | null): void => {
    take(recording)
    setLeftOut(0)
  }
  return (
    <Panel title={WORDS.speechToText}>
      <div className={styles.actions}>
        <RecordButton maxSeconds={MAX_RECORDING_SECONDS} label={WORDS.record} isPrimary onRecorded={takeAlone} />
        <FilePicker label={WORDS.chooseAFile} accept="audio/*" onFiles={([file]) => takeAlone(file ?? null)} />
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
      {startedAt !== null && <UnderWay startedAt={startedAt} onCancel={cancel} />}
      {error !== null && <ServiceFault error={error} service="stt" />}
      {result !== null && (
        <>
          <Recognizer />
          <TranscriptView transcript={result} time={time} onSeek={(to) => setSeek({ to })} />
        </>
      )}
    </Panel>
  )
}

/** Shows how long the recognizer works already: it reports no other progress. */
function UnderWay({ startedAt, onCancel }: { startedAt: number; onCancel: () => void }) {
  const now = useNow(true)
  return (
    <div className={styles.actions}>
      <p role="status" className={styles.actions}>
        <Loader size="xs" />
        {WORDS.listening}
      </p>
      <span className="dim">{WORDS.elapsed(Math.max(0, Math.round((now - startedAt) / 1000)))}</span>
      <Button size="compact-sm" onClick={onCancel}>
        {WORDS.cancel}
      </Button>
    </div>
  )
}

/** Which model wrote the transcript: how good it is depends on that. */
function Recognizer() {
  const model = useQuery({ queryKey: ['models', 'stt'], queryFn: () => modelsOf('stt') }).data?.[0]
  if (model === undefined) return null
  return (
    <p className="dim">
      {WORDS.by(model.id)} {model.experimental && <ExperimentalMark />} <a href="#/services">{WORDS.chooseAnother}</a>
    </p>
  )
}
