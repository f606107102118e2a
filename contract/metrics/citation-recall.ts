import { ALCE, ALCE_DIFFERS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const citationRecall = {
  id: 'citation_recall',
  label: 'citation recall',
  definition:
    'share of the sentences of an answer that the passages they cite support together, and 0 for a sentence without a citation; graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'citations'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 8.2, parts: [] },
  method: {
    follows: `${ALCE}, citation recall`,
    relation: 'like',
    same: [
      'A sentence counts when its cited passages, joined, entail it; one without a citation, or with a number that no passage has, does not; mean over sentences; at most 3 citations of a sentence.',
    ],
    differs: ALCE_DIFFERS,
  },
} as const satisfies Metric
