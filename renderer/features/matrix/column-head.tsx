import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import type { ColumnHead as Head } from '../../../contract/control/run-index/matrix-page.ts'
import { pairCounts } from '../../../core/evidence/pair-state.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import { intervalWords } from '../../../contract/words.ts'
import { lookOf } from '../../../charts/look.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { RunCloudMark } from '../../components/cloud-mark.tsx'
import { count, differenceValue, metricValue, pWords } from '../../components/format.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { api } from '../../data/client.ts'
import { againstBaseline, type AgainstBaseline, meanInterval } from './pair-of.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import styles from './matrix.module.css'

interface ColumnHeadProps {
  run: string
  dataset: string
  head: Head | undefined
  alias: string
  metric: string
  baseline: string | null
  comparison: MetricComparison | undefined
  sorted: 'ascending' | 'descending' | null
  index: number
  left: number
  pinned: boolean
  onSort: (alias: string) => void
  onPin: (alias: string) => void
  onHide: (alias: string) => void
}

function Mean({ head, metric, comparison }: { head: Head; metric: string; comparison: MetricComparison | undefined }) {
  const interval = meanInterval(comparison, head.model)
  if (head.n === 0) return <span>{WORDS.noValue}</span>
  return (
    <span title={interval === null ? WORDS.noInterval : WORDS.intervalOfMean}>
      <strong>{metricValue(metric, head.mean)}</strong>
      {interval !== null && (
        <span className="dim"> {intervalWords(interval, (bound) => metricValue(metric, bound))}</span>
      )}
    </span>
  )
}

const whyOf = ({ why, p }: AgainstBaseline, comparison: MetricComparison | undefined): string | undefined =>
  why === null
    ? undefined
    : why === 'corrected'
      ? WORDS.why.corrected(comparison === undefined ? 1 : pairCounts(comparison).tested, p === null ? '–' : pWords(p))
      : WORDS.why[why]

function Decision({ head, alias, metric, baseline, comparison }: Omit<ColumnHeadProps, 'head'> & { head: Head }) {
  if (head.n === 0)
    return (
      <span className={styles.why}>
        {head.unavailable !== null
          ? failureMessage(head.unavailable)
          : head.evidence_capability === 'answer_only'
            ? WORDS.answerOnly
            : WORDS.nothingScored}
      </span>
    )
  if (baseline === alias) return <span className="dim">{WORDS.isBaseline}</span>
  const pair = baseline === null ? null : againstBaseline(comparison, alias, baseline)
  if (pair === null) return null
  return (
    <span className={styles.decision} data-decision={pair.state} title={whyOf(pair, comparison)}>
      {differenceValue(metric, pair.difference)} {WORDS.states[pair.state]}
      {pair.low !== null && (
        <span className="dim">
          <br />[{differenceValue(metric, pair.low)}, {differenceValue(metric, pair.high)}]
        </span>
      )}
    </span>
  )
}

/** Median tokens that the answers were written from; nothing where the summary does not tell. */
function HandedOver({ run, dataset, alias }: Pick<ColumnHeadProps, 'run' | 'dataset' | 'alias'>) {
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const amounts = data?.amounts.find(({ dataset_id: id }) => id === dataset)
  const tokens = amounts?.approaches.find(({ model }) => model === alias)?.context_tokens ?? null
  if (tokens === null) return null
  return (
    <span className="dim" title={WORDS.handedOver}>
      {WORDS.tokens(count(tokens))}
    </span>
  )
}

/** Name, mean with its interval, coverage with its n, and the decision against the baseline. Sorts by this alias. Drawn again only when it changes. */
export const ColumnHead = memo(function ColumnHead(props: ColumnHeadProps) {
  const { run, dataset, head, alias, metric, comparison, sorted, index, left, pinned, onSort, onPin, onHide } = props
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index + 2}
      aria-sort={sorted ?? 'none'}
      className={styles.headCell}
      style={{ left }}
      title={WORDS.sortBy(alias)}
      onClick={() => onSort(alias)}
    >
      <span className={styles.headName}>
        <ApproachName alias={alias} base={head?.base_model ?? null} short />
        {sorted !== null && <span aria-hidden="true">{sorted === 'ascending' ? '↑' : '↓'}</span>}
        <button
          type="button"
          className={styles.pin}
          tabIndex={-1}
          aria-pressed={pinned}
          aria-label={WORDS.pin(alias)}
          title={pinned ? WORDS.pinTitle.pinned : WORDS.pinTitle.free}
          onClick={(event) => {
            event.stopPropagation()
            onPin(alias)
          }}
        >
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path
              d="M4 1h4l-.6 3.6L9.5 7H2.5l2.1-2.4zM6 7v4"
              fill={pinned ? 'currentColor' : 'none'}
              stroke="currentColor"
            />
          </svg>
        </button>
        <button
          type="button"
          className={styles.pin}
          tabIndex={-1}
          aria-label={WORDS.hide(alias)}
          title={WORDS.hideTitle}
          onClick={(event) => {
            event.stopPropagation()
            onHide(alias)
          }}
        >
          <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" stroke="currentColor" strokeWidth="1.4" />
          </svg>
        </button>
      </span>
      {head !== undefined && (
        <>
          <Mean {...{ head, metric, comparison }} />
          <span className={styles.headCover}>
            <span className={styles.bar}>
              <span
                style={{
                  width: `${(head.coverage ?? 0) * 100}%`,
                  background: lookOf(alias, head.base_model ?? undefined).colour,
                }}
              />
            </span>
            <span className="dim">
              {count(head.n)}/{count(head.expected)}
            </span>
            <RunCloudMark run={run} alias={alias} />
          </span>
          <HandedOver {...{ run, dataset, alias }} />
          <Decision {...props} head={head} />
        </>
      )}
    </div>
  )
})
