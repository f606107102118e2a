import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { primaryMetric } from '../aggregate/metric-use.ts'
import { aggregateRows } from './aggregate-rows.ts'
import { inLadderOrder } from './long-csv.ts'

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * One line for each metric of each approach in a dataset run. Every line has every field with a value of one type or null, so that loaders which guess a schema (the `json`
 * builder of Hugging Face datasets, DuckDB, pandas) read all lines alike. `value` is the mean; null where there is no score, with the `state` that says why.
 */
function* linesOf(aggregate: Aggregate) {
  const { dataset, reproducibility, ingestion, questions, repeats, approaches } = aggregate
  const runtime = reproducibility?.runtime ?? null
  const primary = primaryMetric([aggregate])
  for (const row of aggregateRows(aggregate)) {
    const metric = metricNamed(row.metric)
    if (metric === undefined || textOf(row.against) !== null || (row.hops ?? null) !== null) continue
    const approach = approaches.find(({ model }) => model === row.model)
    if (approach === undefined) continue
    yield {
      run_id: aggregate.run_id,
      dataset: dataset.id,
      dataset_label: dataset.label,
      level: dataset.complexity_level,
      approach: row.model,
      base_approach: approach.base_model,
      flavor: approach.flavor,
      metric: row.metric,
      metric_name: metric.label,
      is_primary: row.metric === primary,
      higher_is_better: metric.better === 'higher',
      value: numberOf(row.mean),
      interval_low: numberOf(row.interval_low),
      interval_high: numberOf(row.interval_high),
      scored: numberOf(row.n),
      expected: numberOf(row.expected),
      state: textOf(row.state),
      questions: questions.length,
      repeats,
      context_budget: runtime?.context_budget ?? null,
      model_set: runtime?.models?.set ?? null,
      evaluators: approach.evaluation.evaluator_models,
      questions_sha256: reproducibility?.config_hashes['queries'] ?? null,
      documents_digest: ingestion?.content_digest ?? null,
      seed: reproducibility?.seed ?? null,
      revision: runtime?.repository.revision ?? null,
      version: runtime?.platform.version ?? null,
    }
  }
}

/** Results as JSON lines, in ladder order; equal aggregates give equal bytes. */
export function* resultsJsonl(aggregates: readonly Aggregate[]): Generator<string> {
  for (const aggregate of inLadderOrder(aggregates))
    for (const line of linesOf(aggregate)) yield `${JSON.stringify(line)}\n`
}
