import { Fragment } from 'react'
import { INGESTION_PHASES } from '../../../contract/http/ingestion.ts'
import { count } from '../../components/format.ts'
import type { PhaseState } from '../../data/ladder-state.ts'
import styles from './ladder.module.css'

const SIGNS: Record<string, string> = { completed: '●', running: '◐', failed: '▲', cancelled: '✕', skipped: '–' }

/** The eight phases of an ingestion with what they counted. */
export function PhaseList({ phases }: { phases: Record<string, PhaseState> }) {
  return (
    <div className={styles.open}>
      <div className={styles.phases} role="group" aria-label="Phases of the ingestion">
        {INGESTION_PHASES.map((phase) => {
          const { status, counts } = phases[phase] ?? { status: 'pending', counts: {} }
          return (
            <Fragment key={phase}>
              <span aria-hidden="true">{SIGNS[status] ?? '○'}</span>
              <span>
                {phase.replaceAll('_', ' ')} <span className="hidden-text">{status}</span>
              </span>
              <span className="dim">
                {Object.entries(counts)
                  .map(([name, value]) => `${count(value)} ${name.replaceAll('_', ' ')}`)
                  .join(' · ')}
              </span>
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}
