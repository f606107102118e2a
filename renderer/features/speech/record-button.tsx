import { Button } from '@mantine/core'
import { useRecorder } from './use-recorder.ts'
import styles from './speech.module.css'

interface Props {
  maxSeconds: number
  label: string
  onRecorded: (recording: Blob) => void
}

/** Records from the microphone: countdown, level, seconds. */
export function RecordButton({ maxSeconds, label, onRecorded }: Props) {
  const { state, countdown, seconds, level, failure, start, stop } = useRecorder(maxSeconds, onRecorded)
  return (
    <div className={styles.recorder}>
      {state === 'idle' ? (
        <Button onClick={start}>{label}</Button>
      ) : (
        <Button color="red" onClick={stop}>
          {state === 'counting' ? 'Call off' : 'Stop recording'}
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
          <span className={styles.clock}>
            {seconds.toFixed(1)} / {maxSeconds} s
          </span>
        </>
      )}
      {failure !== null && <p role="alert">▲ {failure}</p>}
    </div>
  )
}

const FLOOR_DB = -60

function LevelMeter({ level }: { level: number }) {
  const db = Math.max(FLOOR_DB, 20 * Math.log10(Math.max(level, 1e-6)))
  const words = db > -1 ? 'too loud' : db < -40 ? 'too quiet' : 'good'
  return (
    <span className={styles.meterLine}>
      <meter
        className={styles.meter}
        min={FLOOR_DB}
        max={0}
        low={-40}
        high={-3}
        optimum={-15}
        value={db}
        aria-label="Level"
      />
      <span className="dim">
        {db.toFixed(0)} dB, {words}
      </span>
    </span>
  )
}
