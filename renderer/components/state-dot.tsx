import type { ServiceStateName } from '../../contract/control/services.ts'
import styles from './state-dot.module.css'

export type Tone = 'good' | 'waiting' | 'idle' | 'bad'

/** A service's state is shown by shape first, colour second. */
export const SERVICE_SIGNS: Record<ServiceStateName, Tone> = {
  absent: 'idle',
  external: 'good',
  idle: 'idle',
  starting: 'waiting',
  ready: 'good',
  backoff: 'bad',
  stopping: 'waiting',
  stopped: 'idle',
  failed: 'bad',
}

const SIGNS: Record<Tone, string> = { good: '●', waiting: '◐', idle: '○', bad: '▲' }

/** A sign in its tone; a word must accompany it. */
export function StateDot({ tone }: { tone: Tone }) {
  return (
    <span aria-hidden="true" className={styles[tone]}>
      {SIGNS[tone]}
    </span>
  )
}
