import { COUNTED_ONCE, OWN_PROMPTS, RAGAS } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const answerCorrectness = {
  id: 'answer_correctness',
  label: 'answer correctness',
  shortLabel: 'correctness',
  definition:
    'F1 of the statements of an answer and of the ground truth: what the answer states without support in the ground truth counts against it, and so does what it leaves out or contradicts; graded by a language model; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 4.5, parts: [] },
  method: {
    follows: `${RAGAS}, factual correctness (F1)`,
    relation: 'like',
    same: [
      'Statements of both sides; those of the answer are judged against the reference (TP, FP) and those of the reference against the answer (FN); F1 = TP ÷ (TP + (FP + FN) ÷ 2).',
    ],
    differs: [
      OWN_PROMPTS,
      COUNTED_ONCE,
      'A statement of the reference is supported, missing or contradicted, where Ragas has yes or no; the last two are both FN, and the row keeps which it was.',
      'It has no cosine of answer and reference, which is a quarter of the answer correctness of Ragas; scores are not rounded.',
      'An answer that states nothing, such as a refusal, has 0 here; the factual part of the answer correctness of Ragas gives it 1.',
      'Statements are judged ten in a call, at most 50 of each side.',
      'Built-in rules cannot tell a contradiction from an omission and have no value of it.',
    ],
  },
} as const satisfies Metric
