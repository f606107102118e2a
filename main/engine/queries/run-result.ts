// The outcome of runs from their summaries on disk: verdicts and costs of one, quality against cost over several.
import type { RunResult, Frontier, FrontierInput, FrontierPoint } from '../../../contract/control/comparison.ts'
import { cloudApproaches } from '../../../contract/evidence/cloud-use.ts'
import type { Prices, Aggregate } from '../../../contract/index.ts'
import { approachCosts } from '../../report/answer-cost.ts'
import { modelCaution } from '../../report/findings.ts'
import { inLadderOrder } from '../../report/long-csv.ts'
import { readVerdictsOf } from '../../report/verdict.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from './coverage.ts'

/** The verdicts of a run, from the summaries on disk, and what its approaches cost at these prices. Rejects with `not_found` for a run that is not indexed. */
export async function resultOf(index: RunIndexApi, runId: string, prices: Prices): Promise<RunResult> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const aggregates = await Promise.all(datasets.map((dataset) => currentAggregate(dataset)))
  const found = inLadderOrder(aggregates.filter((aggregate) => aggregate !== null))
  return {
    verdicts: readVerdictsOf(found),
    pending: datasets.flatMap(({ label }, position) => (aggregates[position] === null ? [label] : [])),
    cloud: cloudApproaches(found),
    costs: found.flatMap((aggregate) => {
      const { id: dataset_id, label } = aggregate.dataset
      return approachCosts(aggregate, prices).map((cost) => ({ dataset_id, label, ...cost }))
    }),
    caution: modelCaution(found),
  }
}

type Point = Omit<FrontierPoint, 'on_frontier'>

const NO_COSTS = { total_tokens: null, llm_calls: null, cloud_calls: null }

function costsOf(
  aggregate: Aggregate | null,
  model: string,
): Pick<Point, 'total_tokens' | 'llm_calls' | 'cloud_calls'> {
  const operational = aggregate?.approaches.find((approach) => approach.model === model)?.operational
  if (operational === undefined) return NO_COSTS
  const { total_tokens, llm_calls, cloud_calls } = operational
  return { total_tokens: total_tokens.mean, llm_calls: llm_calls.mean, cloud_calls: cloud_calls.mean }
}

/** Points of one dataset run with whether another is at least as good in quality and latency and better in one. */
export function withFrontier(points: readonly Point[], better: Frontier['better']): FrontierPoint[] {
  const sign = better === 'higher' ? 1 : -1
  const beats = (one: Point, other: Point): boolean => {
    const [quality, latency] = [sign * (one.quality! - other.quality!), other.latency_ms! - one.latency_ms!]
    return quality >= 0 && latency >= 0 && quality + latency > 0
  }
  const isPlaced = (point: Point): boolean => point.quality !== null && point.latency_ms !== null
  return points.map((point) => ({
    ...point,
    on_frontier: isPlaced(point) && !points.some((other) => isPlaced(other) && beats(other, point)),
  }))
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
      const own = columns.heads.map(({ model, base_model, mean, n, expected, mean_latency_ms }): Point => {
        const place = { run_id, dataset_id, model, base_model, quality: mean, n, expected, latency_ms: mean_latency_ms }
        return { ...place, ...costsOf(aggregate, model) }
      })
      points.push(...withFrontier(own, better))
    }
  }
  return { metric: input.metric, better, points }
}
