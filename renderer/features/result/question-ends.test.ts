import { describe, expect, it } from 'vitest'
import type { MatrixPageCell } from '../../../contract/control/run-index/matrix-page.ts'
import { endsOf } from './question-ends.ts'

const cell = (row: string, value: number | null): MatrixPageCell => ({
  row_id: row,
  status: 'ok',
  error_type: null,
  evaluation: 'ok',
  state: value === null ? 'not_evaluable' : 'ok',
  value,
  reason: null,
  latency_ms: 12,
  judge_mean: null,
  answer_chars: 40,
})
const ALIASES = ['vanilla-rag', 'hybrid-rag', 'graph-rag', 'agentic-rag']

describe('the ends of a question', () => {
  it('are the weakest and the strongest approach, with how many have the same value', () => {
    const cells = [cell('a', 0), null, cell('b', 1), cell('c', 1)]
    expect(endsOf(cells, ALIASES, 'recall_at_5')).toEqual({
      weakest: { model: 'vanilla-rag', row: 'a', value: 0, equal: 1 },
      strongest: { model: 'graph-rag', row: 'b', value: 1, equal: 2 },
    })
  })

  it('turn around where lower is better', () => {
    expect(endsOf([cell('a', 12), cell('b', 90)], ALIASES, 'latency_ms')?.weakest.model).toBe('hybrid-rag')
  })

  it('are none where all are equal, and where fewer than two have a value', () => {
    expect(endsOf([cell('a', 1), cell('b', 1)], ALIASES, 'recall_at_5')).toBeNull()
    expect(endsOf([cell('a', 1), cell('b', null), null], ALIASES, 'recall_at_5')).toBeNull()
  })
})
