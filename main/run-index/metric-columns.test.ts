import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CellMetricState } from '../../contract/index.ts'
import { INDEX_METRICS, metricClass, packStates, stateAt, stateCode, stateOfCode, stateSql } from './metric-columns.ts'

it('gets every packed state back out of one number, in SQL too', () => {
  const db = new Database(':memory:')
  const sql = `SELECT ${INDEX_METRICS.map((metric) => stateSql(metric)).join(', ')} FROM (SELECT ? AS states) c`
  const unpack = db.prepare<[bigint], number[]>(sql).raw()
  const states = fc.array(fc.constantFrom(...CellMetricState.options), {
    minLength: INDEX_METRICS.length,
    maxLength: INDEX_METRICS.length,
  })
  fc.assert(
    fc.property(states, (given) => {
      const packed = packStates(given.map(stateCode))
      expect(Number.isSafeInteger(packed)).toBe(true)
      expect(unpack.get(BigInt(packed))!.map(stateOfCode)).toEqual(given)
      expect(given.map((_, place) => stateOfCode(stateAt(packed, place)))).toEqual(given)
    }),
  )
})

it('knows the class of every metric', () => {
  expect(Map.groupBy(INDEX_METRICS, metricClass)).toEqual(
    new Map([
      ['ragas', ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall']],
      ['retrieval', ['hit_at_5', 'recall_at_5', 'mrr_at_10', 'ndcg_at_10']],
      ['answer', ['token_f1', 'points_covered', 'abstention']],
      ['judge_panel', ['judge_mean']],
      ['operational', ['latency_ms']],
    ]),
  )
})
