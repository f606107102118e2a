import type { ClipVerdict } from '../../../contract/http/speech.ts'
import { FactTable } from '../../components/fact-table.tsx'

/** What was measured of a clip, and what stands against it. */
export function VerdictView({ verdict }: { verdict: ClipVerdict }) {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const measured: [string, string][] = [
    ['Length', `${verdict.seconds.toFixed(1)} s`],
    ['Level of the speech', `${verdict.speech_level_db} dB`],
    ['Peak', `${verdict.peak_db} dB`],
    ['At full scale', percent(verdict.clipped_ratio)],
    ['Silence', percent(verdict.silent_ratio)],
    ['Above the background', `${verdict.signal_to_noise_db} dB`],
    ['Pitch, median', verdict.median_f0_hz === null ? '–' : `${verdict.median_f0_hz} Hz`],
  ]
  return (
    <div role="status" aria-label="Verdict">
      <p>
        <strong>{verdict.ok ? '● This clip can become a voice' : '▲ This clip cannot become a voice'}</strong>
      </p>
      <ul>
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
