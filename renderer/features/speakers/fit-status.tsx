import { Loader } from '@mantine/core'
import { useNow } from '../../components/use-now.ts'
import styles from './speakers.module.css'

/** That a fitting is under way, and for how long. `since`: milliseconds since 1970; null while none is, so that the first words are read out, too. */
export function FitStatus({ since }: { since: number | null }) {
  const now = useNow(since !== null)
  return (
    <div className={styles.facts}>
      {since !== null && <Loader size="xs" />}
      <span role="status">{since !== null && 'The recogniser is being fitted. This takes a minute or two.'}</span>
      {/* Outside of what is read out: it changes each second. */}
      {since !== null && <span className="dim">{Math.max(0, Math.floor((now - since) / 1000))} s</span>}
    </div>
  )
}
