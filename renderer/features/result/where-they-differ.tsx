import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { metricName, score } from '../../components/format.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { type End, mostTelling } from './question-ends.ts'
import { RESULT_WORDS } from './result-words.ts'
import styles from './result.module.css'

const WORDS = RESULT_WORDS.differ

interface WhereTheyDifferProps {
  run: string
  verdict: Verdict
  /** Questions that are listed at most. */
  most: number
}

export function WhereTheyDiffer({ run, verdict, most }: WhereTheyDifferProps) {
  const metric = IndexMetric.safeParse(metricNamed(verdict.metric ?? '')?.id).data
  return metric === undefined ? null : <DifferingQuestions {...{ run, verdict, most, metric }} />
}

/** Number of questions that are read to find those that the leading approach missed. */
const READ_QUESTIONS = 20

/**
 * The questions on which approaches are furthest apart, each a link to the answer of the weakest one; nothing where all have the same values. With
 * the same difference, those come first on which the leading approach is the weakest.
 */
function DifferingQuestions({ run, verdict, most, metric }: WhereTheyDifferProps & { metric: IndexMetric }) {
  const { dataset, label } = verdict
  const input = { run_id: run, dataset_id: dataset, metric, limit: READ_QUESTIONS }
  const { data, isError, error, refetch } = useQuery(
    api.matrix.page.queryOptions({ input: { ...input, sort: { by: 'spread', descending: true } } }),
  )
  if (isError) return <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={most} height={28} />
  const rows = mostTelling(data, metric, verdict.top[0]).slice(0, most)
  if (rows.length === 0) return null
  const title = WORDS.title(metricName(metric))
  return (
    <section className={styles.differ} aria-label={`${title} · ${label}`}>
      <h4>{title}</h4>
      <ol>
        {rows.map(({ question_id: question, repeat, query, weakest, strongest }) => (
          <li key={`${question} ${repeat}`}>
            <Link
              to="/runs/$run/cell"
              params={{ run }}
              search={{ row: weakest.row, dataset, metric }}
              title={query ?? question}
            >
              {query ?? question}
            </Link>
            <EndMark end={weakest} />
            <EndMark end={strongest} />
          </li>
        ))}
      </ol>
      <Link to="/runs/$run/matrix" params={{ run }} search={{ dataset, metric, sort: 'spread', descending: true }}>
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
