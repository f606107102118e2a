import { costOf, isCloudModel, type Cost, type ModelUsage } from '../../../contract/index.ts'
import type { PreparedRun } from '../../runner/prepare-run.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from '../queries/coverage.ts'

/** What cells of an alias used in an earlier run, answers and grading, and how many cells that were. */
export interface PastUsage {
  usage: readonly ModelUsage[]
  cells: number
}

/** The newest usage of each alias with a model set on a dataset; an alias without one is absent. */
export type PastUsages = (
  datasetId: string,
  aliases: readonly string[],
  modelSet: string,
) => Promise<ReadonlyMap<string, PastUsage>>

const MAX_RUNS_SEARCHED = 30

/** Usage from the summaries of the newest indexed runs. */
export function pastUsagesFrom(index: RunIndexApi): PastUsages {
  return async (datasetId, aliases, modelSet) => {
    const found = new Map<string, PastUsage>()
    const { runs } = await index.query('listRuns', { limit: MAX_RUNS_SEARCHED })
    for (const run of runs) {
      if (aliases.every((alias) => found.has(alias))) break
      if (!run.datasets.some(({ dataset_id, cells }) => dataset_id === datasetId && cells.ok > 0)) continue
      const { datasets } = (await index.query('runSummary', { run_id: run.run_id })).summary
      const dataset = datasets.find(({ dataset_id }) => dataset_id === datasetId)
      const aggregate = dataset === undefined ? null : await currentAggregate(dataset)
      if (aggregate?.reproducibility?.runtime.models?.set !== modelSet) continue
      for (const { model, usage, cells } of aggregate.approaches)
        if (!found.has(model) && usage !== undefined && usage.unknown_cells === 0 && cells.ok > 0)
          found.set(model, { usage: [...usage.answers, ...usage.grading], cells: cells.ok })
    }
    return found
  }
}

/** What `cells` of a run would cost, as many of each alias. Null where the set has no paid model, and for a platform elsewhere. */
export async function expectedCost(
  { aliases, experiment: { models }, modelSet, prices, inputs }: PreparedRun,
  datasetId: string,
  cells: number,
  pastUsages: PastUsages,
): Promise<Cost | null> {
  const name = modelSet ?? models.default_set
  const set = models.sets[name]
  if (inputs.gatewayUrl !== null || set === undefined || !Object.values(set.roles).some(isCloudModel)) return null
  const names = aliases.map(({ alias }) => alias)
  const past = await pastUsages(datasetId, names, name)
  const each = cells / Math.max(1, names.length)
  const costs = names.map((alias): Cost => {
    const known = past.get(alias)
    if (known === undefined)
      return { amount: 0, currency: prices.currency, unknown: [`no earlier run of ${alias} with ${name}`] }
    const { amount, currency, unknown } = costOf(known.usage, prices)
    return { amount: (amount / known.cells) * each, currency, unknown }
  })
  return {
    amount: costs.reduce((sum, { amount }) => sum + amount, 0),
    currency: prices.currency,
    unknown: cells === 0 ? [] : [...new Set(costs.flatMap(({ unknown }) => unknown))],
  }
}
