import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { metricName, score } from '../../components/format.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { type End, endsOf } from './question-ends.ts'
import { RESULT_WORDS } from './result-words.ts'
import styles from './result.module.css'

const WORDS = RESULT_WORDS.differ

interface WhereTheyDifferProps {
  run: string
  dataset: { dataset_id: string; label: string }
  metric: IndexMetric
  /** Questions that are listed at most. */
  most: number
}

/** The questions on which approaches are furthest apart, each a link to the cell of the weakest one; nothing where all have the same values. */
export function WhereTheyDiffer({ run, dataset, metric, most }: WhereTheyDifferProps) {
  const input = { run_id: run, dataset_id: dataset.dataset_id, metric, limit: most }
  const { data, isError, error, refetch } = useQuery(
    api.matrix.page.queryOptions({ input: { ...input, sort: { by: 'spread', descending: true } } }),
  )
  if (isError) return <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={most} height={28} />
  const rows = data.rows.flatMap((row) => {
    const ends = endsOf(row.cells, data.aliases, metric)
    return ends === null ? [] : [{ ...row, ...ends }]
  })
  if (rows.length === 0) return null
  const title = WORDS.title(metricName(metric))
  return (
    <section className={styles.differ} aria-label={`${title} · ${dataset.label}`}>
      <h4>{title}</h4>
      <ol>
        {rows.map(({ question_id: question, repeat, query, weakest, strongest }) => (
          <li key={`${question} ${repeat}`}>
            <Link
              to="/runs/$run/cell"
              params={{ run }}
              search={{ row: weakest.row, dataset: dataset.dataset_id, metric }}
              title={query ?? question}
            >
              {query ?? question}
            </Link>
            <EndMark end={weakest} />
            <EndMark end={strongest} />
          </li>
        ))}
      </ol>
      <Link
        to="/runs/$run/matrix"
        params={{ run }}
        search={{ dataset: dataset.dataset_id, metric, sort: 'spread', descending: true }}
      >
        {WORDS.inMatrix}
      </Link>
    </section>
  )
}

/** An approach with its value, or how many have it. */
function EndMark({ end: { model, value, equal } }: { end: End }) {
  return (
    <span>
      {equal > 1 ? WORDS.approaches(equal) : <ApproachName alias={model} short />} <strong>{score(value)}</strong>
    </span>
  )
}
