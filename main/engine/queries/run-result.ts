// The outcome of runs from their summaries on disk: verdicts and costs of one, quality against cost over several.
import type { RunResult, Frontier, FrontierInput, FrontierPoint } from '../../../contract/control/comparison.ts'
import { cloudApproaches } from '../../../core/evidence/cloud-use.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { artifactNameOf, metricOfId } from '../../../contract/metrics/metrics.ts'
import type { Prices } from '../../../contract/manifests/prices.ts'
import { approachCosts } from '../../report/tables/answer-cost.ts'
import { protocolRows } from '../../report/tables/budget-tables.ts'
import { ingestionWords } from '../../report/tables/ingestion-words.ts'
import { modelCaution } from '../../report/tables/findings.ts'
import { hopMetricOf } from '../../report/aggregate/aggregate-access.ts'
import { isScoreOfCells, type ScoreMetric } from '../../report/aggregate/metric-outcome.ts'
import { inLadderOrder } from '../../report/csv/long-csv.ts'
import { levelSentences } from '../../report/tables/measured-levels.ts'
import { runUseTable } from '../../report/tables/run-use.ts'
import { verdictsOf } from '../../report/verdict/verdict.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { ageWords, publishedAge } from '../../manifests/project/published-age.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from './coverage.ts'

/**
 * The verdicts of a run, from the summaries on disk, and what its approaches cost at these prices. `experiment` is null where its manifests cannot be
 * used. Rejects with `not_found` for a run that is not indexed.
 */
export async function resultOf(
  index: RunIndexApi,
  runId: string,
  prices: Prices,
  experiment: Experiment | null,
): Promise<RunResult> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const aggregates = await Promise.all(datasets.map((dataset) => currentAggregate(dataset)))
  const found = inLadderOrder(aggregates.filter((aggregate) => aggregate !== null))
  return {
    verdicts: verdictsOf(found),
    pending: datasets.flatMap(({ label }, position) => (aggregates[position] === null ? [label] : [])),
    levels: levelSentences(found),
    cloud: cloudApproaches(found),
    costs: found.flatMap((aggregate) => {
      const { id: dataset_id, label } = aggregate.dataset
      return approachCosts(aggregate, prices).map((cost) => ({ dataset_id, label, ...cost }))
    }),
    used: found.flatMap((aggregate) => {
      const table = runUseTable(aggregate, prices)
      return table.rows.length === 0 ? [] : [{ label: aggregate.dataset.label, ...table }]
    }),
    amounts: found.map((aggregate) => ({
      dataset_id: aggregate.dataset.id,
      label: aggregate.dataset.label,
      context_budget: aggregate.reproducibility?.runtime.context_budget ?? null,
      approaches: aggregate.approaches.map(({ model, base_model, context_tokens: tokens, budget_curve }) => ({
        model,
        base: base_model,
        context_tokens: tokens?.median ?? null,
        budget_curve,
      })),
      extraction: ingestionWords(aggregate),
      protocol: protocolRows(aggregate),
    })),
    caution: modelCaution(found),
    age: experiment === null ? null : await oldestOf(experiment, runId, found),
  }
}

/** The age of the first dataset of a published run that has one: a run is published with one revision. */
async function oldestOf(experiment: Experiment, runId: string, found: readonly Aggregate[]): Promise<string | null> {
  for (const aggregate of found) {
    const dataset = experiment.datasets.find(({ dataset: { id } }) => id === aggregate.dataset.id)
    if (dataset?.dataset.published?.run_id !== runId) continue
    const age = await publishedAge(experiment, dataset, aggregate)
    const words = age === null ? null : ageWords(age)
    if (words !== null) return words
  }
  return null
}

const NO_COSTS = { total_tokens: null, llm_calls: null, cloud_calls: null }

function costsOf(
  aggregate: Aggregate | null,
  model: string,
): Pick<FrontierPoint, 'total_tokens' | 'llm_calls' | 'cloud_calls'> {
  const operational = aggregate?.approaches.find((approach) => approach.model === model)?.operational
  if (operational === undefined) return NO_COSTS
  const { total_tokens, llm_calls, cloud_calls } = operational
  return { total_tokens: total_tokens.mean, llm_calls: llm_calls.mean, cloud_calls: cloud_calls.mean }
}

function hopsOf(aggregate: Aggregate | null, model: string, id: FrontierInput['metric']): FrontierPoint['by_hops'] {
  const groups = aggregate?.approaches.find((approach) => approach.model === model)?.by_hops ?? []
  const metric = metricOfId(id)
  if (!isScoreOfCells(metric)) return []
  return groups.flatMap((group) => {
    const figure = hopMetricOf(group, artifactNameOf(metric) as ScoreMetric)
    return figure === undefined ? [] : [{ hops: group.hops, mean: figure.mean, n: figure.n, expected: figure.expected }]
  })
}

/** Quality against cost for every alias of some runs. Rejects with `not_found` for a run that is not indexed. */
export async function frontierOf(index: RunIndexApi, input: FrontierInput): Promise<Frontier> {
  const points: FrontierPoint[] = []
  let better: Frontier['better'] = 'higher'
  for (const run_id of input.run_ids) {
    const { datasets } = (await index.query('runSummary', { run_id })).summary
    for (const dataset of datasets) {
      const { dataset_id } = dataset
      if (input.dataset_id !== undefined && dataset_id !== input.dataset_id) continue
      const { heads: columns } = await index.query('columnHeads', { run_id, dataset_id, metric: input.metric })
      const aggregate = await currentAggregate(dataset)
      better = columns.better
      for (const { model, base_model, mean, n, expected, median_latency_ms } of columns.heads) {
        const place = {
          run_id,
          dataset_id,
          model,
          base_model,
          quality: mean,
          n,
          expected,
          latency_ms: median_latency_ms,
        }
        points.push({ ...place, ...costsOf(aggregate, model), by_hops: hopsOf(aggregate, model, input.metric) })
      }
    }
  }
  return { metric: input.metric, better, points }
}
