import type { AnswerMetric } from './answer-scores.ts'
import type { EvaluationMetric } from '../common.ts'
import type { RetrievalMetric } from './retrieval-scores.ts'

/** A metric's name for people: the same words in tables, reports, pages and help. */
export const METRIC_LABELS = {
  faithfulness: 'faithfulness',
  answer_relevancy: 'answer relevancy',
  context_precision: 'context precision',
  context_recall: 'context recall',
  hit_at_5: 'hit@5',
  recall_at_5: 'recall@5',
  mrr_at_10: 'MRR@10',
  ndcg_at_10: 'nDCG@10',
  token_f1: 'token F1',
  points_covered: 'points covered',
  abstention: 'abstention',
  judge_mean: 'judge mean',
  latency_ms: 'latency',
} as const satisfies Record<EvaluationMetric | RetrievalMetric | AnswerMetric | 'judge_mean' | 'latency_ms', string>

/** Names in rows and aggregates of runner version 1 → today's names. */
const FORMER_NAMES: Readonly<Record<string, AnswerMetric>> = { gold_coverage: 'points_covered' }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Renames the keys of an object in place; their order stays. */
function renameKeys(owner: unknown, field: string): void {
  const values = isObject(owner) ? owner[field] : undefined
  if (!isObject(values) || Array.isArray(values)) return
  if (!Object.keys(FORMER_NAMES).some((name) => Object.hasOwn(values, name))) return
  ;(owner as Record<string, unknown>)[field] = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [FORMER_NAMES[name] ?? name, value]),
  )
}

/** A parsed evidence row with former metric names replaced, in place; any other value is returned as it is. */
export function withCurrentNames<Row>(row: Row): Row {
  const metrics = isObject(row) ? row['metrics'] : undefined
  if (isObject(metrics)) renameKeys(metrics['answer'], 'scores')
  return row
}

/** A parsed aggregate with former metric names replaced, in place; any other value is returned as it is. */
export function aggregateWithCurrentNames(value: unknown): unknown {
  if (!isObject(value)) return value
  for (const approach of listOf(value['approaches'])) {
    renameKeys(approach, 'answer')
    for (const group of isObject(approach) ? listOf(approach['by_hops']) : []) renameKeys(group, 'answer')
  }
  const comparisons = value['comparisons']
  for (const compared of isObject(comparisons) ? listOf(comparisons['metrics']) : [])
    if (isObject(compared) && typeof compared['metric'] === 'string')
      compared['metric'] = FORMER_NAMES[compared['metric']] ?? compared['metric']
  return value
}
