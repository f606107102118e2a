import { COUNTED_ONCE } from '../method-statement.ts'
import type { Metric } from './metric.ts'

export const hallucinationRate = {
  id: 'hallucination_rate',
  label: 'hallucination rate',
  shortLabel: 'hallucination',
  definition:
    'share of the statements of an answer that neither its contexts nor the ground truth support, graded by the evaluator; 0 to 1, lower is better',
  class: 'ragas',
  better: 'lower',
  range: [0, 1],
  needs: ['contexts', 'ground_truth'],
  unit: 'score',
  ranking: 'when_validated',
  report: { place: 8.1, parts: [] },
  method: {
    follows: 'RAGChecker 0.1.9 (arXiv 2408.08067), hallucination',
    relation: 'like',
    same: ['Share of the claims of an answer that are wrong by the reference and supported by no context.'],
    differs: [
      COUNTED_ONCE,
      'The prompts are this project’s own; claims are those of faithfulness, judged ten in a call and at most 50 of an answer.',
      'All contexts are judged together instead of one by one, so a claim that only two of them together support is no hallucination.',
      'A verdict is supported or not; RAGChecker asks for entailment, neutral or contradiction and counts entailment.',
      'An answer without claims has no value, where RAGChecker has 0.',
    ],
  },
} as const satisfies Metric
