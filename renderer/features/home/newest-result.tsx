import { useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { intervalWords } from '../../../contract/words.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import { metricName, score } from '../../components/format.ts'
import { heat } from '../../components/heat.ts'
import { RungTable } from '../../components/rung-table.tsx'
import { PartialMark } from '../../components/run-marks.tsx'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { useLeadingMetric } from '../../data/leading-metric.ts'
import { useIntervals } from '../../data/intervals.ts'
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
  const intervalOf = useIntervals(
    run.run_id,
    run.datasets.map(({ dataset_id: id }) => id),
    metric,
  )
  return (
    <Panel
      title={
        <>
          {WORDS.mean(run.run_id, metricName(metric))} <PartialMark run={run.run_id} />
        </>
      }
      aside={
        <Link to="/runs/compare" search={{ run: run.run_id }}>
          {WORDS.compare}
        </Link>
      }
    >
      {isError && <ErrorPanel error={error} what={WORDS.theNewestResult} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={7} height={36} />}
      {data !== undefined && (
        <RungTable
          label={WORDS.newestResult}
          points={data.points}
          datasets={run.datasets}
          mean={(dataset, alias, point) => {
            const interval = intervalOf(dataset, alias) ?? null
            return (
              <>
                <HeatMean value={point?.quality ?? null} /> {interval !== null && intervalWords(interval)}
              </>
            )
          }}
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
