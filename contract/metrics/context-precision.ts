import { OWN_PROMPTS, RAGAS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const contextPrecision = {
  id: 'context_precision',
  label: 'context precision',
  definition:
    'how far up the useful contexts are in their order, graded by the evaluator against the ground truth; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'ground_truth'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 7, parts: [] },
  method: {
    follows: `${RAGAS}, context precision with reference`,
    relation: 'like',
    same: ['A verdict for each context in its order; average precision Σ (precision@k · v) ÷ (Σ v + 10⁻¹⁰).'],
    differs: [OWN_PROMPTS],
  },
} as const satisfies Metric
