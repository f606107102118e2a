import { useQuery } from '@tanstack/react-query'
import { ApproachName } from '../../components/approach-name.tsx'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { metricName, metricValue } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { valueOf } from './score-state.ts'
import styles from './cell.module.css'

interface OtherApproachesProps {
  run: string
  row: string
  model: string
  /** The metric whose values the chips show. */
  metric: IndexMetric
  against: string | undefined
  onAgainst: (alias: string | undefined) => void
}

/** The same question in all aliases of the run with their values of one metric; choosing one compares the evidence. */
export function OtherApproaches({ run, row, model, metric, against, onAgainst }: OtherApproachesProps) {
  const { data } = useQuery(api.cells.others.queryOptions({ input: { run_id: run, row_id: row } }))
  return (
    <div className={styles.chips} role="group" aria-label="The same question in other approaches">
      <span className={styles.chipMetric}>{metricName(metric)}</span>
      {data?.cells.map((cell) => {
        const { model: alias, base_model: base, row_id: other, status } = cell
        const value = valueOf(cell, metric)
        return (
          <button
            key={alias}
            type="button"
            className={styles.chip}
            disabled={alias === model || other === null}
            aria-pressed={alias === against}
            title={alias === model ? 'this cell' : `compare the evidence with ${alias}`}
            onClick={() => onAgainst(alias === against ? undefined : alias)}
          >
            <ApproachName alias={alias} base={base} short />
            {other === null ? (
              <span>missing</span>
            ) : status === 'timeout' ? (
              <span>◷ timeout</span>
            ) : status !== 'ok' ? (
              <span>▲ {status}</span>
            ) : value === null ? (
              <span title={`${metricName(metric)} has no value here`}>○</span>
            ) : (
              <span>{metricValue(metric, value)}</span>
            )}
          </button>
        )
      })}
    </div>
  )
}
