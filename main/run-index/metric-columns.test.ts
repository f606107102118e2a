import { expect, it } from 'vitest'
import { metricOfId } from '../../contract/index.ts'
import { INDEX_METRICS } from './metric-columns.ts'

it('knows the class of every metric', () => {
  expect(Map.groupBy(INDEX_METRICS, (metric) => metricOfId(metric).class)).toEqual(
    new Map([
      ['ragas', ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall']],
      ['retrieval', ['hit_at_5', 'recall_at_5', 'mrr_at_10', 'ndcg_at_10']],
      ['answer', ['token_f1', 'points_covered', 'abstention']],
      ['judge_panel', ['judge_mean']],
      ['operational', ['latency_ms']],
    ]),
  )
})
