import type { RunResult } from '../../../contract/control/comparison.ts'
import { cloudApproaches } from '../../../contract/evidence/cloud-use.ts'
import type { Prices } from '../../../contract/index.ts'
import { approachCosts } from '../../report/answer-cost.ts'
import { modelCaution } from '../../report/findings.ts'
import { inLadderOrder } from '../../report/long-csv.ts'
import { verdictsOf } from '../../report/verdict.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from './coverage.ts'

/** The verdicts of a run, from the summaries on disk, and what its approaches cost at these prices. Rejects with `not_found` for a run that is not indexed. */
export async function resultOf(index: RunIndexApi, runId: string, prices: Prices): Promise<RunResult> {
  const { datasets } = (await index.query('runSummary', { run_id: runId })).summary
  const aggregates = await Promise.all(datasets.map((dataset) => currentAggregate(dataset)))
  const found = inLadderOrder(aggregates.filter((aggregate) => aggregate !== null))
  return {
    verdicts: verdictsOf(found),
    pending: datasets.flatMap(({ label }, position) => (aggregates[position] === null ? [label] : [])),
    cloud: cloudApproaches(found),
    costs: found.flatMap((aggregate) => {
      const { id: dataset_id, label } = aggregate.dataset
      return approachCosts(aggregate, prices).map((cost) => ({ dataset_id, label, ...cost }))
    }),
    caution: modelCaution(found),
  }
}
