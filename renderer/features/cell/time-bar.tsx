import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { duration } from '../../components/format.ts'
import styles from './cell.module.css'

type Operational = CanonicalRow['metrics']['operational']

/** Where a cell's time went, in order; milliseconds. The server's own share is taken out of the last attempt. */
export function timeParts({ queue_ms: queue, attempts, server, latency_ms: latency }: Operational): [string, number][] {
  const earlier = attempts.slice(0, -1).reduce((sum, { latency_ms: ms }) => sum + ms, 0)
  const waited = attempts.reduce((sum, { waited_ms: ms }) => sum + ms, 0)
  const inServer = Math.min(latency, (server?.seconds ?? 0) * 1000)
  const parts: [string, number][] = [
    ['queue', queue],
    ['failed attempts', earlier],
    ['waiting to retry', waited],
    [server === null ? 'answer' : 'gateway', latency - inServer],
    ['server', inServer],
  ]
  return parts.filter(([, ms]) => ms > 0)
}

const FILLS = ['var(--line-strong)', 'var(--bad)', 'var(--warn)', 'var(--accent)', 'var(--good)']
const NAMES = ['queue', 'failed attempts', 'waiting to retry', 'gateway', 'server']
const fillOf = (name: string): string => FILLS[NAMES.indexOf(name === 'answer' ? 'gateway' : name)]!

/** The parts of a cell's time to scale, each with its name and duration. */
export function TimeBar({ operational }: { operational: Operational }) {
  const parts = timeParts(operational)
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0)
  /** Where each part starts, in milliseconds. */
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, [, ms]) => sum + ms, 0))
  return (
    <figure className={styles.time}>
      <svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label={`${duration(total)} in all`}>
        {parts.map(([name, ms], index) => (
          <rect
            key={name}
            x={(starts[index]! / total) * 1000}
            width={(ms / total) * 1000}
            height="12"
            fill={fillOf(name)}
          />
        ))}
      </svg>
      <figcaption>
        {parts.map(([name, ms]) => (
          <span key={name}>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={fillOf(name)} />
            </svg>{' '}
            {name} {duration(ms)}
          </span>
        ))}
        <strong>{duration(total)} in all</strong>
      </figcaption>
    </figure>
  )
}
