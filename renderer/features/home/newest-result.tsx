import { useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import { metricName, score } from '../../components/format.ts'
import { heat } from '../../components/heat.ts'
import { RungTable } from '../../components/rung-table.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { useLeadingMetric } from '../../data/leading-metric.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.newestResult

/** Means of the newest run, approaches by datasets, each with its n. */
export function NewestResult({ run }: { run: RunHead }) {
  const leading = useLeadingMetric(run.run_id)
  const metric = leading ?? FIRST_METRIC
  const { data, isError, error, refetch } = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run.run_id], metric } }),
    enabled: leading !== null,
  })
  return (
    <Panel title={WORDS.mean(run.run_id, metricName(metric))} aside={<Link to="/compare">{WORDS.compare}</Link>}>
      {isError && <ErrorPanel error={error} what={WORDS.theNewestResult} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={7} height={36} />}
      {data !== undefined && (
        <RungTable
          label={WORDS.newestResult}
          points={data.points}
          datasets={run.datasets}
          mean={(_dataset, _alias, point) => <HeatMean value={point?.quality ?? null} />}
        />
      )}
    </Panel>
  )
}

function HeatMean({ value }: { value: number | null }) {
  const scheme = useComputedColorScheme('light')
  const look = value === null ? null : heat(value, scheme)
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
