import { OWN_PROMPTS, RAGAS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const answerRelevancy = {
  id: 'answer_relevancy',
  label: 'answer relevancy',
  definition: 'how closely an answer addresses its question, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  leastReply: -1,
  needs: [],
  embeds: true,
  unit: 'score',
  shortLabel: 'relevancy',
  ranking: 'when_validated',
  report: { place: 5, parts: ['board', 'hops'] },
  method: {
    follows: `${RAGAS}, answer relevancy`,
    relation: 'like',
    same: [
      'Three questions generated from the answer alone; mean cosine to the question, 0 where all are noncommittal.',
    ],
    differs: [OWN_PROMPTS, 'One call writes all three, because at temperature 0 separate calls would write the same.'],
  },
} as const satisfies Metric
