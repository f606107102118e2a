import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { ColumnHeads } from '../../../contract/control/run-index/matrix-page.ts'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { differenceValue, metricName, metricValue } from '../../components/format.ts'
import { type HeatDomain, heatOf } from '../../components/heat.ts'
import { KeyList } from './key-list.tsx'
import styles from './matrix.module.css'

interface MatrixFootProps {
  metric: IndexMetric
  domain: HeatDomain
  comparison: MetricComparison | undefined
  pairsError: Error | null
  heads: ColumnHeads | undefined
}

const STEPS = 24
const STEP_WIDTH = 7
const LEGEND_STATES = ['not_evaluable', 'error', 'timeout', 'not_run'] as const

/** Numbers of the heat scale, signs of the states, and how much of the comparison is decided. */
export function MatrixFoot({ metric, domain, comparison, pairsError, heads }: MatrixFootProps) {
  const isDifference = domain.diverging !== undefined
  const end = (value: number): string => (isDifference ? differenceValue(metric, value) : metricValue(metric, value))
  const { decided, smallest_detectable: detectable, settings } = comparison ?? {}
  return (
    <footer className={styles.foot}>
      <span className={styles.legend}>
        <span>{isDifference ? `${metricName(metric)}, difference to the baseline` : metricName(metric)}</span>
        <span>{end(domain.worst)}</span>
        <svg
          className={styles.ramp}
          width={STEPS * STEP_WIDTH}
          height="12"
          role="img"
          aria-label={`Heat scale from ${end(domain.worst)} to ${end(domain.best)}`}
        >
          {Array.from({ length: STEPS }, (_, step) => (
            <rect
              key={step}
              x={step * STEP_WIDTH}
              width={STEP_WIDTH}
              height="12"
              fill={heatOf(domain.worst + (step / (STEPS - 1)) * (domain.best - domain.worst), domain).background}
            />
          ))}
        </svg>
        <span>{end(domain.best)}</span>
      </span>
      <span className={styles.legend}>
        <span className={styles.sample} aria-hidden="true" /> no value
        {LEGEND_STATES.map((state) => (
          <span key={state}>
            {STATE_SIGNS[state].sign} {STATE_SIGNS[state].word}
          </span>
        ))}
      </span>
      {heads?.unequal_coverage === true && (
        <span>▲ means are over different questions; pairs compare the shared ones</span>
      )}
      <span className={styles.spacer} />
      {pairsError !== null && <span>▲ no comparison: {controlErrorOf(pairsError).message}</span>}
      {decided !== undefined && settings !== undefined && (
        <span>
          {decided.decided} of {decided.comparable} pairs are decided at {Math.round(settings.level * 100)} % (Holm)
          {detectable !== undefined &&
            detectable !== null &&
            ` · smallest difference this run could see: ${metricValue(metric, detectable.smallest)}`}
        </span>
      )}
      <KeyList />
    </footer>
  )
}
