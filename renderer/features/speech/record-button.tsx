import styles from './speech.module.css'
import { Button } from '@mantine/core'
import { type KeyboardEvent, type Ref, useEffect, useState } from 'react'
import { SPEECH_WORDS } from './speech-words.ts'
import {
  NOT_RECORDING,
  OneRecording,
  type RecorderOptions,
  type RecorderView as RecordingState,
} from './one-recording.ts'
import { recordMicrophone } from './record-microphone.ts'

interface Recorder extends RecordingState {
  start: () => void
  /** Ends the recording and hands it over; before it has begun, cancels it. */
  stop: () => void
}

interface Options extends RecorderOptions {
  /** The one of the moment of the start is called, so that the recording goes where it was begun. */
  onRecorded: (recording: Blob) => void
}

/** Records from the microphone after a countdown. */
function useRecorder({ onRecorded, ...options }: Options): Recorder {
  const [view, setView] = useState(NOT_RECORDING)
  const [recording] = useState(() => new OneRecording(recordMicrophone, setView))
  // A user who leaves in the middle has not confirmed this recording.
  useEffect(() => () => recording.drop(), [recording])
  return { ...view, start: () => recording.start(options, onRecorded), stop: () => recording.stop() }
}

const WORDS = SPEECH_WORDS.recordButton

const COUNTDOWN_SECONDS = 3

interface Props {
  maxSeconds: number
  label: string
  onRecorded: (recording: Blob) => void
}

/** Records from the microphone: countdown, level, seconds. */
export function RecordButton({ maxSeconds, label, onRecorded }: Props) {
  const recorder = useRecorder({ maxSeconds, countdownSeconds: COUNTDOWN_SECONDS, onRecorded })
  return <RecorderView recorder={recorder} maxSeconds={maxSeconds} label={label} />
}

interface ViewProps {
  recorder: Recorder
  maxSeconds: number
  label: string
  /** True while what was recorded is not dealt with yet: nothing starts, and the button keeps the focus for the next one. */
  isBusy?: boolean
  button?: Ref<HTMLButtonElement>
}

/** One button that starts and stops, and the microphone's level. */
function RecorderView({ recorder, maxSeconds, label, isBusy = false, button }: ViewProps) {
  const { state, countdown, seconds, level, failure, start, stop } = recorder
  return (
    <div className="row">
      {state === 'idle' ? (
        <Button
          ref={button}
          data-disabled={isBusy || undefined}
          aria-disabled={isBusy}
          onKeyDown={ignoreRepeat}
          onClick={isBusy ? undefined : start}
        >
          {label}
        </Button>
      ) : (
        <Button ref={button} color="red" onKeyDown={ignoreRepeat} onClick={stop}>
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
      {failure !== null && <p role="alert">▲ {failure}</p>}
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
