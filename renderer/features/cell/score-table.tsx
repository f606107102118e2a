import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { metricName, score } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { RefusalChip } from '../../components/refusal-chip.tsx'
import { scoreState } from './score-state.ts'
import table from '../../components/table.module.css'

interface Line {
  metric: string
  group: string
  value: number | null
  state: keyof typeof STATE_SIGNS
  reason: string
}

const asText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)

function linesOf({ metrics: { ragas, retrieval, answer } }: CanonicalRow): Line[] {
  const graded = ragas.requested.map((metric): Line => {
    const value = ragas.scores[metric] ?? null
    const { state, reason } = scoreState(ragas, metric)
    return {
      metric,
      group: ragas.evaluator_model ?? 'evaluator',
      value,
      state,
      reason: value === null ? reason : asText(ragas.reasons[metric]),
    }
  })
  const measured = (
    group: string,
    part: { scores: Record<string, number>; reason: string | null; status: string },
  ): Line[] =>
    Object.keys(part.scores).length === 0
      ? [
          {
            group,
            metric: group,
            value: null,
            state: part.status === 'not_run' ? 'not_run' : 'not_evaluable',
            reason: part.reason ?? '',
          },
        ]
      : Object.entries(part.scores).map(([metric, value]) => ({ group, metric, value, state: 'ok', reason: '' }))
  return [...graded, ...measured('retrieval', retrieval), ...(answer === undefined ? [] : measured('answer', answer))]
}

/** Every score with its reason, and every missing one with why. */
export function ScoreTable({ row }: { row: CanonicalRow }) {
  const lines = linesOf(row)
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Metric</th>
          <th>State</th>
          <th className={table.num}>Score</th>
          <th>By</th>
          <th>Reason</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ metric, group, value, state, reason }) => (
          <tr key={group + metric}>
            <th scope="row">{metricName(metric)}</th>
            <td>
              {STATE_SIGNS[state].sign} {STATE_SIGNS[state].word}
            </td>
            <td className={table.num}>
              {group === 'answer' && <RefusalChip refusal={row.metrics.answer?.refusal} />} {score(value)}
            </td>
            <td className="dim">{group}</td>
            <td className={table.wrap}>
              <MarkedText text={reason} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
