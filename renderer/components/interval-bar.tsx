import type { Column } from './tables.tsx'
import styles from './interval-bar.module.css'

interface IntervalBarProps {
  value: number | null
  interval: { low: number; high: number } | null
  /** The values at both ends of the bar; what lies beyond is cut off. */
  domain: readonly [number, number]
  /** The value of "no difference"; drawn as a line. */
  zero?: number
  colour?: string
}

/** A value with its interval on a common scale. Decorative: the numbers must be beside it. */
export function IntervalBar({ value, interval, domain, zero, colour = 'var(--accent)' }: IntervalBarProps) {
  const [low, high] = domain
  const at = (number: number): string => `${((Math.min(high, Math.max(low, number)) - low) / (high - low || 1)) * 100}%`
  return (
    <svg className={styles.bar} height="16" aria-hidden="true">
      <line x1="0" x2="100%" y1="8" y2="8" stroke="var(--line)" />
      {zero !== undefined && <line x1={at(zero)} x2={at(zero)} y1="0" y2="16" stroke="var(--line-strong)" />}
      {interval !== null && (
        <line x1={at(interval.low)} x2={at(interval.high)} y1="8" y2="8" stroke={colour} strokeWidth="3" />
      )}
      {value !== null && <circle cx={at(value)} cy="8" r="4.5" fill={colour} stroke="var(--surface)" />}
    </svg>
  )
}

/** The scale over a column of bars: its ends, and the middle. */
function IntervalScale({ domain, marks }: { domain: readonly [number, number]; marks: readonly number[] }) {
  const [low, high] = domain
  return (
    <svg className={styles.scale} height="14" aria-hidden="true">
      {marks.map((mark) => {
        const share = (mark - low) / (high - low || 1)
        return (
          <text
            key={mark}
            x={`${share * 100}%`}
            y="11"
            textAnchor={share < 0.02 ? 'start' : share > 0.98 ? 'end' : 'middle'}
          >
            {String(mark).replace('-', '−')}
          </text>
        )
      })}
    </svg>
  )
}

/** A column of bars, with their scale below its name. */
export const scaleColumn = (name: string, domain: readonly [number, number], marks: readonly number[]): Column => ({
  head: (
    <>
      {name}
      <IntervalScale domain={domain} marks={marks} />
    </>
  ),
  className: styles.column,
})
