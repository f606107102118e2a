import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import { metricName, score } from '../../components/format.ts'
import { heat } from '../../components/heat.ts'
import { RungTable } from '../../components/rung-table.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './home.module.css'

/** Means of the newest run, approaches by datasets, each with its n. */
export function NewestResult({ run }: { run: RunHead }) {
  const { data, isError, error, refetch } = useQuery(
    api.compare.frontier.queryOptions({ input: { run_ids: [run.run_id], metric: FIRST_METRIC } }),
  )
  return (
    <Panel title={`${run.run_id}: mean ${metricName(FIRST_METRIC)}`} aside={<Link to="/compare">Compare</Link>}>
      {isError && <ErrorPanel error={error} what="The newest result" retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={7} height={36} />}
      {data !== undefined && (
        <RungTable
          label="Newest result"
          points={data.points}
          datasets={run.datasets}
          mean={(_dataset, _alias, point) => <HeatMean value={point?.quality ?? null} />}
        />
      )}
    </Panel>
  )
}

function HeatMean({ value }: { value: number | null }) {
  const look = value === null ? null : heat(value)
  return (
    <span
      className={styles.heat}
      data-missing={value === null || undefined}
      style={look === null ? {} : { background: look.background, color: look.ink }}
    >
      {value === null ? '○' : score(value)}
    </span>
  )
}
