import { Button, Kbd, Popover } from '@mantine/core'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { ColumnHeads } from '../../../contract/control/run-index/matrix-page.ts'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { pairCounts } from '../../../core/evidence/pair-state.ts'
import type { ClusterSummary, MetricComparison } from '../../../contract/evidence/statistics.ts'
import { rungPairsWords, scopeWords, testedPairsWords } from '../../../contract/words.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { differenceValue, metricName, metricValue } from '../../components/format.ts'
import { type HeatDomain, heatOf } from '../../components/heat.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import styles from './matrix.module.css'

interface MatrixFootProps {
  metric: IndexMetric
  domain: HeatDomain
  comparison: MetricComparison | undefined
  pairsError: Error | null
  heads: ColumnHeads | undefined
  /** True when judges graded the answers: their mean then stands in the cells. */
  judged: boolean
  /** Datasets of the run. */
  rungs: number
  clusters: ClusterSummary | undefined
}

const STEPS = 24
const STEP_WIDTH = 7
const LEGEND_STATES = ['not_evaluable', 'error', 'timeout', 'not_run'] as const

/** Numbers of the heat scale, signs of the states, and how much of the comparison is decided. */
export function MatrixFoot({
  metric,
  domain,
  comparison,
  pairsError,
  heads,
  judged,
  rungs,
  clusters,
}: MatrixFootProps) {
  const isDifference = domain.diverging !== undefined
  // Differences beyond an end have its colour.
  const end = (value: number): string =>
    isDifference ? `${value < 0 ? '≤' : '≥'} ${differenceValue(metric, value)}` : metricValue(metric, value)
  const counts = comparison === undefined ? undefined : pairCounts(comparison)
  const scope = clusters === undefined || counts?.tested === 0 ? null : scopeWords(clusters)
  const detectable = comparison?.smallest_detectable ?? null
  return (
    <footer className={styles.foot}>
      <span className={styles.legend}>
        <span>{isDifference ? WORDS.difference(metricName(metric)) : metricName(metric)}</span>
        <span>{end(domain.worst)}</span>
        <svg
          className={styles.ramp}
          width={STEPS * STEP_WIDTH}
          height="12"
          role="img"
          aria-label={WORDS.heatScale(end(domain.worst), end(domain.best))}
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
      <span className={`${styles.legend ?? ''} ${styles.whereWide ?? ''}`}>
        <StateLegend judged={judged} />
      </span>
      <KeyList judged={judged} />
      {heads?.unequal_coverage === true && <span>{WORDS.unequal}</span>}
      <span className={styles.spacer} />
      {pairsError !== null && <span>{WORDS.noComparison(controlErrorOf(pairsError).message)}</span>}
      {comparison !== undefined && counts !== undefined && (
        <span title={(counts.decided > 0 ? rungPairsWords(rungs) : null) ?? undefined}>
          {testedPairsWords(counts, comparison.settings.level)}
          {counts.tested > 0 && detectable !== null && WORDS.detectable(metricValue(metric, detectable.smallest))}
          {scope !== null && ` · ${scope}`}
        </span>
      )}
    </footer>
  )
}

/** Signs of the states, and what stands beside a value. */
function StateLegend({ judged }: { judged: boolean }) {
  return (
    <>
      <span className={styles.sample} aria-hidden="true" />
      {WORDS.hatched}
      {LEGEND_STATES.map((state) => (
        <span key={state}>
          {STATE_SIGNS[state].sign} {STATE_SIGNS[state].word}
        </span>
      ))}
      {judged && <span>{WORDS.judgeMark}</span>}
    </>
  )
}

/** The grid's keys and signs, on demand. */
function KeyList({ judged }: { judged: boolean }) {
  return (
    <Popover position="top-end" width={380} trapFocus>
      <Popover.Target>
        <Button size="compact-xs">{WORDS.keys}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <p className={`${styles.legend ?? ''} ${styles.whereNarrow ?? ''}`}>
          <StateLegend judged={judged} />
        </p>
        <dl className={styles.keys}>
          {WORDS.keyList.map(([key, what]) => (
            <div key={key}>
              <dt>
                <Kbd size="xs">{key}</Kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}
