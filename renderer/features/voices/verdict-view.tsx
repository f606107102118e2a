import type { ClipVerdict } from '../../../contract/http/speech.ts'
import { FactTable } from '../../components/fact-table.tsx'
import styles from '../speech/speech.module.css'

/** What was measured of a clip, and what stands against it. */
export function VerdictView({ verdict }: { verdict: ClipVerdict }) {
  // A unit stays with its number, and a minus is a true one.
  const inUnit = (value: number, unit: string) => `${value.toFixed(1).replace('-', '−')}\u00a0${unit}`
  const measured: [string, string][] = [
    ['Length', inUnit(verdict.seconds, 's')],
    ['Level of the speech', inUnit(verdict.speech_level_db, 'dB')],
    ['Peak', inUnit(verdict.peak_db, 'dB')],
    ['At full scale', inUnit(100 * verdict.clipped_ratio, '%')],
    ['Silence', inUnit(100 * verdict.silent_ratio, '%')],
    ['Above the background', inUnit(verdict.signal_to_noise_db, 'dB')],
    ['Pitch, median', verdict.median_f0_hz === null ? '–' : inUnit(verdict.median_f0_hz, 'Hz')],
  ]
  return (
    <div role="status" aria-label="Verdict">
      <p>
        <strong>{verdict.ok ? '● This clip can become a voice' : '▲ This clip cannot become a voice'}</strong>
      </p>
      <ul className={styles.findings}>
        {verdict.findings.map(({ code, message, fatal }) => (
          <li key={code}>
            {fatal ? '▲' : '◐'} {message}
          </li>
        ))}
      </ul>
      <FactTable facts={measured} />
    </div>
  )
}
