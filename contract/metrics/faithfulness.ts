import { COUNTED_ONCE, OWN_PROMPTS, RAGAS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const faithfulness = {
  id: 'faithfulness',
  label: 'faithfulness',
  definition:
    'share of the statements of an answer that its contexts support, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 4, parts: ['board', 'pairs', 'hops'] },
  method: {
    follows: `${RAGAS}, faithfulness`,
    relation: 'like',
    same: [
      'Two steps: claims of the answer, then a verdict with a reason for each against all contexts; score Σ verdicts ÷ n; none without claims.',
      'Replies must have one verdict for each claim.',
    ],
    differs: [
      OWN_PROMPTS,
      COUNTED_ONCE,
      'Claims are judged ten in a call, at most 50 of an answer; what is left out is noted.',
    ],
  },
} as const satisfies Metric
