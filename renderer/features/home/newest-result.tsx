import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IndexMetric, RunHead } from '../../../contract/control/run-index.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, metricName, score } from '../../components/format.ts'
import { heat } from '../../components/heat.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './home.module.css'

/** Answers of every approach have it, those without contexts too. */
const METRIC: IndexMetric = 'answer_relevancy'

/** Means of the newest run, approaches by datasets, each with its n. */
export function NewestResult({ run }: { run: RunHead }) {
  const { data, isError, error, refetch } = useQuery(
    api.compare.frontier.queryOptions({ input: { run_ids: [run.run_id], metric: METRIC } }),
  )
  const aliases = [...new Set(data?.points.map(({ model }) => model))]
  return (
    <Panel title={`${run.run_id}: mean ${metricName(METRIC)}`} aside={<Link to="/compare">Compare</Link>}>
      {isError && <ErrorPanel error={error} what="The newest result" retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={7} height={36} />}
      {data !== undefined && (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Newest result">
          <table className={table.table}>
            <thead>
              <tr>
                <th>Approach</th>
                {run.datasets.map(({ dataset_id: id, label }) => (
                  <th key={id} className={table.num}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {aliases.map((alias) => (
                <tr key={alias}>
                  <th scope="row">
                    <ApproachName alias={alias} />
                  </th>
                  {run.datasets.map(({ dataset_id: id }) => {
                    const point = data.points.find(
                      ({ dataset_id: dataset, model }) => dataset === id && model === alias,
                    )
                    const value = point?.quality ?? null
                    const look = value === null ? null : heat(value)
                    return (
                      <td key={id} className={table.num}>
                        <span
                          className={styles.heat}
                          data-missing={value === null || undefined}
                          style={look === null ? {} : { background: look.background, color: look.ink }}
                        >
                          {value === null ? '○' : score(value)}
                        </span>{' '}
                        <span className="dim">
                          {point === undefined ? '' : `${count(point.n)}/${count(point.expected)}`}
                        </span>
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
