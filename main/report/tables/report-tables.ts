import type { Aggregate, ApproachSummary, Distribution, MetricSummary } from '../../../contract/evidence/aggregate.ts'
import type { ConfidenceInterval } from '../../../contract/evidence/statistics.ts'
import { METRIC_LABELS } from '../../../contract/metrics/metrics.ts'
import { durationWords, countWords, meanWords, scoreWords } from '../../../contract/words.ts'
import { hasFirstTokens, hopMetricOf, meanInterval, metricOf } from '../aggregate/aggregate-access.ts'
import { HANDED_OVER, handedOverWords, hasAmounts } from './budget-tables.ts'
import { UNEQUAL_SIGN } from './coverage-notes.ts'
import { approachCode, columnsFrom, mdTable } from '../markdown/markdown-text.ts'
import type { ScoreMetric } from '../aggregate/metric-outcome.ts'
import { intervalWords, STATE_SIGNS, STATE_WORDS } from '../words.ts'

/** `● 0.83 [0.77, 0.88] (21/24)`; without a score the state in words and the count. */
function scoreText(summary: MetricSummary | undefined, interval: ConfidenceInterval | null = null): string {
  if (summary === undefined) return `${STATE_SIGNS.disabled} not requested`
  const { state, mean, scored, expected, unequal_coverage } = summary
  const count = `(${scored}/${expected})`
  if (mean === null) return `${STATE_SIGNS[state]} ${STATE_WORDS[state]} ${count}`
  const range = intervalWords('score', interval)
  return `${STATE_SIGNS[state]} ${scoreWords(mean)}${unequal_coverage ? UNEQUAL_SIGN : ''} ${range === '' ? '' : `${range} `}${count}`
}

const labels = (metrics: readonly ScoreMetric[]): string[] => metrics.map((metric) => METRIC_LABELS[metric])

/** Approaches × metrics, every mean with its count. */
export function scoreTable(aggregate: Aggregate, metrics: readonly ScoreMetric[]): string[] {
  const isShown = hasAmounts(aggregate)
  const rows = aggregate.approaches.map((approach) => [
    approachCode(approach.model),
    ...metrics.map((metric) => scoreText(metricOf(approach, metric), meanInterval(aggregate, metric, approach.model))),
    ...(isShown ? [handedOverWords(approach)] : []),
  ])
  const head = ['approach', ...labels(metrics), ...(isShown ? [HANDED_OVER] : [])]
  return mdTable(head, rows, columnsFrom(1, head.length))
}

export function hopTable(aggregate: Aggregate, metric: ScoreMetric): string[] {
  const groups = aggregate.approaches[0]?.by_hops ?? []
  const head = groups.map(({ hops, questions }) => `${hops === null ? 'not counted' : plainHops(hops)} (${questions})`)
  const rows = aggregate.approaches.map((approach) => [
    approachCode(approach.model),
    ...approach.by_hops.map((group) => {
      const { n, expected, mean } = hopMetricOf(group, metric)!
      return mean === null ? `none (0/${expected})` : `${scoreWords(mean)} (${n}/${expected})`
    }),
  ])
  return mdTable(['approach', ...head], rows, columnsFrom(1, head.length + 1))
}

const plainHops = (hops: number): string => (hops === 1 ? '1 hop' : `${hops} hops`)

const figure = (value: number | null, show: (value: number) => string): string =>
  value === null ? 'none' : show(value)

/** Approaches × cost: cells, latency, attempts, tokens, calls. A figure that fewer cells have than answered carries its own count. */
export function costTable(aggregate: Aggregate): string[] {
  const head = [
    'approach',
    'answered',
    'latency median',
    '95th percentile',
    ...(hasFirstTokens(aggregate) ? ['first token median'] : []),
    'queue',
    'retries',
    'tokens used',
    'model calls',
    'cloud calls',
    ...(hasAmounts(aggregate) ? [HANDED_OVER] : []),
  ]
  const rows = aggregate.approaches.map((approach) => {
    const { cells, operational } = approach
    const mean = (of: Distribution, show: (value: number) => string = meanWords): string =>
      figure(of.mean, show) + (of.n > 0 && of.n < cells.ok ? ` (${of.n}/${cells.ok})` : '')
    return [
      approachCode(approach.model),
      cellsText(approach),
      figure(operational.latency_ms.median, durationWords),
      figure(operational.latency_ms.p95, durationWords),
      ...(hasFirstTokens(aggregate) ? [firstToken(approach)] : []),
      mean(operational.queue_ms, durationWords),
      String(operational.retries),
      mean(operational.total_tokens, (tokens) => countWords(Math.round(tokens))),
      mean(operational.llm_calls),
      mean(operational.cloud_calls),
      ...(hasAmounts(aggregate) ? [handedOverWords(approach)] : []),
    ]
  })
  return mdTable(head, rows, columnsFrom(1, head.length))
}

/** With the number of cells that report it where it is not all. */
function firstToken({ cells, operational: { first_token_s: times } }: ApproachSummary): string {
  if (times === undefined) return figure(null, durationWords)
  const median = times.median === null ? null : times.median * 1000
  return figure(median, durationWords) + (times.n < cells.ok ? ` (${times.n}/${cells.ok})` : '')
}

function cellsText({ cells }: ApproachSummary): string {
  const sign =
    cells.error > 0
      ? STATE_SIGNS.error
      : cells.timeout > 0
        ? STATE_SIGNS.timeout
        : cells.missing > 0
          ? STATE_SIGNS.not_run
          : STATE_SIGNS.ok
  return `${sign} ${cells.ok}/${cells.expected}`
}
