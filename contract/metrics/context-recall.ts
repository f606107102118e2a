import { COUNTED_ONCE, OWN_PROMPTS, RAGAS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const contextRecall = {
  id: 'context_recall',
  label: 'context recall',
  definition:
    'share of the statements of the ground truth that the contexts support, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'ground_truth'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 8, parts: [] },
  method: {
    follows: `${RAGAS}, context recall`,
    relation: 'like',
    same: ['One call splits the reference and attributes each claim; mean of the attributions, none without claims.'],
    differs: [OWN_PROMPTS, COUNTED_ONCE],
  },
} as const satisfies Metric
