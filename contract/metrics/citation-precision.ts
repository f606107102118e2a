import { ALCE, ALCE_DIFFERS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const citationPrecision = {
  id: 'citation_precision',
  label: 'citation precision',
  definition:
    'share of the citations of an answer that help to support their sentence, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'citations'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 8.3, parts: [] },
  method: {
    follows: `${ALCE}, citation precision`,
    relation: 'like',
    same: [
      'A citation counts when its sentence is supported and it is needed: of several, one is wrong where it alone does not entail the sentence and the others together do. An answer without a citation has 0.',
    ],
    differs: [...ALCE_DIFFERS, 'A number that no passage has is one of the citations that are divided by.'],
  },
} as const satisfies Metric
