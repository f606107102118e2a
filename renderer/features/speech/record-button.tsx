import styles from './speech.module.css'
import { Button } from '@mantine/core'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { SPEECH_WORDS } from './speech-words.ts'
import { NOT_RECORDING, OneRecording } from './one-recording.ts'
import { recordMicrophone } from './record-microphone.ts'

const WORDS = SPEECH_WORDS.recordButton

const COUNTDOWN_SECONDS = 3

interface RecordButtonProps {
  maxSeconds: number
  label: string
  /** The page has no other button that comes first. */
  isPrimary: boolean
  /** The one of the moment of the start is called, so that the recording goes where it was begun. */
  onRecorded: (recording: Blob) => void
}

/** Records from the microphone: one button that starts and stops, a countdown, level and seconds. */
export function RecordButton({ maxSeconds, label, isPrimary, onRecorded }: RecordButtonProps) {
  const [view, setView] = useState(NOT_RECORDING)
  const [recording] = useState(() => new OneRecording(recordMicrophone, setView))
  // A user who leaves in the middle has not confirmed this recording.
  useEffect(() => () => recording.drop(), [recording])
  const { state, countdown, seconds, level, failure } = view
  const start = (): void => recording.start({ maxSeconds, countdownSeconds: COUNTDOWN_SECONDS }, onRecorded)
  return (
    <div className="row">
      {state === 'idle' ? (
        <Button variant={isPrimary ? 'filled' : 'default'} onKeyDown={ignoreRepeat} onClick={start}>
          {label}
        </Button>
      ) : (
        <Button variant="filled" color="red" onKeyDown={ignoreRepeat} onClick={() => recording.stop()}>
          {state === 'recording' ? WORDS.stopRecording : WORDS.cancel}
        </Button>
      )}
      {state === 'counting' && (
        <span role="status" className={styles.countdown}>
          {countdown}
        </span>
      )}
      {state === 'recording' && (
        <>
          <LevelMeter level={level} />
          <span className={styles.clock}>{WORDS.s(seconds.toFixed(1), maxSeconds)}</span>
        </>
      )}
      <ProblemLine problem={failure} />
    </div>
  )
}

/** A key that is held down presses once. */
function ignoreRepeat(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault()
}

const FLOOR_DB = -60

function LevelMeter({ level }: { level: number }) {
  const db = Math.max(FLOOR_DB, 20 * Math.log10(Math.max(level, 1e-6)))
  const words = db > -1 ? WORDS.tooLoud : db < -40 ? WORDS.tooQuiet : 'good'
  return (
    <span className="row">
      <meter
        className={styles.meter}
        min={FLOOR_DB}
        max={0}
        low={-40}
        high={-3}
        optimum={-15}
        value={db}
        aria-label={WORDS.level}
      />
      <span className="dim">{WORDS.db(db.toFixed(0).replace('-', '−'), words)}</span>
    </span>
  )
}
