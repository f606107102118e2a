import { describe, expect, it } from 'vitest'
import type { MatrixPageCell, MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { endsOf, mostTelling } from './question-ends.ts'

const cell = (row: string, value: number | null): MatrixPageCell => ({
  row_id: row,
  status: 'ok',
  error_type: null,
  evaluation: 'ok',
  state: value === null ? 'not_evaluable' : 'ok',
  value,
  reason: null,
  latency_ms: 12,
  total_tokens: 640,
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

describe('the most telling questions', () => {
  const row = (id: string, values: readonly (number | null)[]): MatrixPageRow => ({
    question_id: id,
    repeat: 1,
    query: id,
    hops: null,
    answerable: null,
    expect_winner: null,
    observed_winner: null,
    cells: values.map((value, index) => cell(`${id}-${index}`, value)),
  })

  it('are the furthest apart, and with the same difference first those that the leading approach missed', () => {
    const rows = [row('near', [0.5, 1]), row('other', [1, 0]), row('miss', [0, 1]), row('equal', [1, 1])]
    const found = mostTelling({ rows, aliases: ALIASES.slice(0, 2) }, 'recall_at_5', 'vanilla-rag')
    expect(found.map(({ question_id: id }) => id)).toEqual(['miss', 'other', 'near'])
  })

  it('lead to the answer of the leading approach where others share its value', () => {
    const rows = [row('one', [0, 0, 1, 0])]
    const [first] = mostTelling({ rows, aliases: ALIASES }, 'recall_at_5', 'agentic-rag')
    expect(first!.weakest).toEqual({ model: 'agentic-rag', row: 'one-3', value: 0, equal: 3 })
  })
})
