import type { Coverage, CoverageMetric } from '../../../contract/control/cells.ts'
import { lookOf } from '../../components/approach-colours.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { RefusalCount } from '../../components/refusal-chip.tsx'
import { count, metricName, metricValue } from '../../components/format.ts'
import table from '../../components/table.module.css'
import styles from './coverage.module.css'

const reasonsOf = ({
  errors_by_reason: errors,
  unevaluable_by_reason: unevaluable,
  unequal_coverage: unequal,
  common,
}: CoverageMetric): string =>
  [
    ...Object.entries({ ...errors, ...unevaluable }).map(
      ([reason, cells]) => `${reason.replaceAll('_', ' ')} ${count(cells)}`,
    ),
    ...(unequal && common !== null
      ? [`on the ${count(common.n)} shared questions ${metricValue('', common.mean)}`]
      : []),
  ].join(' · ')

/** A row per approach and metric: the mean with its n, and where every other cell went. Timeouts stand apart. */
export function CoverageTable({ coverage, onlyGaps }: { coverage: Coverage; onlyGaps: boolean }) {
  const aliases = coverage.aliases
    .map((alias) => ({
      ...alias,
      metrics: alias.metrics.filter(({ scored, expected }) => !onlyGaps || scored < expected),
    }))
    .filter(({ metrics }) => metrics.length > 0)
  if (aliases.length === 0) return <p>Every cell of every metric has a value.</p>
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Coverage">
      <table className={table.table}>
        <thead className={styles.heads}>
          <tr>
            <th>Approach</th>
            <th>Metric</th>
            <th>State</th>
            <th className={table.num}>Mean</th>
            <th className={table.num}>Scored</th>
            <th className={table.num}>▲ Errors</th>
            <th className={table.num}>◷ Timeouts</th>
            <th className={table.num}>○ Not evaluable</th>
            <th className={table.num}>– Disabled</th>
            <th className={table.num}>✕ Not&nbsp;run</th>
            <th className={table.num}>Missing</th>
            <th>Reasons</th>
          </tr>
        </thead>
        <tbody>
          {aliases.flatMap(
            ({ model, base_model: base, metrics, unavailable, cells, failures_by_type: failures, refusals }) =>
              metrics.map((metric, index) => (
                <tr
                  key={`${model}/${metric.group}/${metric.metric}`}
                  className={index === 0 ? styles.first : undefined}
                >
                  {index === 0 && (
                    <th scope="rowgroup" rowSpan={metrics.length} className={styles.approach}>
                      <ApproachName alias={model} base={base} />
                      <div className={styles.answered}>
                        {unavailable ??
                          `${count(cells.ok)}/${count(cells.expected)} answered · ${count(cells.error)} failed · ${count(cells.timeout)} timed out`}
                        {Object.entries(failures).map(([type, failed]) => (
                          <div key={type}>
                            {type.replaceAll('_', ' ')} {count(failed)}
                          </div>
                        ))}
                        <RefusalCount refusals={refusals} />
                      </div>
                    </th>
                  )}
                  <td className={styles.word}>{metricName(metric.metric)}</td>
                  <td className={styles.word}>
                    {STATE_SIGNS[metric.state].sign} {STATE_SIGNS[metric.state].word}
                  </td>
                  <td className={table.num}>{metricValue(metric.metric, metric.mean)}</td>
                  <td className={table.num}>
                    {count(metric.scored)}/{count(metric.expected)}
                    <span className={styles.bar}>
                      <span
                        style={{ width: `${(metric.coverage ?? 0) * 100}%`, background: lookOf(model, base).colour }}
                      />
                    </span>
                  </td>
                  {[
                    metric.errors,
                    metric.timeouts,
                    metric.unevaluable,
                    metric.disabled,
                    metric.not_run,
                    metric.missing,
                  ].map((cells, place) => (
                    <td key={place} className={`${table.num ?? ''} ${cells === 0 ? 'dim' : ''}`}>
                      {count(cells)}
                    </td>
                  ))}
                  <td className={styles.reasons}>{reasonsOf(metric)}</td>
                </tr>
              )),
          )}
        </tbody>
      </table>
    </div>
  )
}
