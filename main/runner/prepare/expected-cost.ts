import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import { isCloudModel, isRuleBased } from '../../../contract/manifests/model-backends.ts'
import type { ModelSet } from '../../../contract/manifests/models.ts'
import { costOf, type Cost } from '../../../contract/manifests/prices.ts'
import type { NamedFiles } from '../../evidence/files/artifact-files.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { scanResults } from '../../report/publication/results-folder.ts'
import { calibrationsOf } from './calibrations.ts'
import { countsFor, usualCallsOf } from './expected-work.ts'
import type { PreparedRun } from './prepare-run.ts'

/** Describes what cells of an alias used in an earlier run, answers and grading, and how many cells that were. */
interface PastUsage {
  usage: readonly ModelUsage[]
  cells: number
}

type NewestFirst = AsyncIterable<Aggregate> | Iterable<Aggregate>

/** The newest usage of each alias in the summaries that count; an alias without one is absent. Reads no more of them than it needs. */
async function newestUsage(
  newestFirst: NewestFirst,
  counts: (past: Aggregate) => boolean,
  aliases: readonly string[],
): Promise<ReadonlyMap<string, PastUsage>> {
  const found = new Map<string, PastUsage>()
  for await (const past of newestFirst) {
    if (!counts(past)) continue
    for (const { model, usage, cells } of past.approaches)
      if (!found.has(model) && usage !== undefined && usage.unknown_cells === 0 && cells.ok > 0)
        found.set(model, { usage: [...usage.answers, ...usage.grading], cells: cells.ok })
    if (aliases.every((alias) => found.has(alias))) break
  }
  return found
}

/** All summaries of a folder, newest first; none where the project has no run yet. */
export async function summariesIn(resultsDir: string, named: NamedFiles): Promise<Aggregate[]> {
  const { runs } =
    existsSync(resultsDir) || Object.keys(named).length > 0 ? await scanResults(resultsDir, named) : { runs: [] }
  const dated = await Promise.all(
    runs.map(async ({ files, stored }) =>
      stored === null ? [] : [{ stored, written: (await stat(files.evaluation)).mtimeMs }],
    ),
  )
  return dated
    .flat()
    .sort((one, other) => other.written - one.written)
    .map(({ stored }) => stored)
}

/** Estimates what one answer uses of its language models by the calls made here of each; null where there were none, or tokens are not reported. */
function calibratedUsage(root: string, set: ModelSet, alias: Alias): ModelUsage[] | null {
  const calibrationOf = calibrationsOf(root)
  const usages = (usualCallsOf(alias) ?? []).map(([role, calls]): ModelUsage | 'rules' | null => {
    const choice = set.roles[role]
    if (isRuleBased(choice.backend)) return 'rules'
    const { model, input_tokens: input, output_tokens: output } = calibrationOf(choice) ?? {}
    if (model === undefined || typeof input !== 'number' || typeof output !== 'number') return null
    const [input_tokens, output_tokens] = [Math.round(calls * input), Math.round(calls * output)]
    return { model, cloud: isCloudModel(choice), calls, unreported: 0, input_tokens, output_tokens }
  })
  return usages.length === 0 || usages.includes(null)
    ? null
    : usages.filter((usage): usage is ModelUsage => usage !== null && usage !== 'rules')
}

/**
 * Returns what `cells` of a run would cost by what such cells used before (rows that `countsFor` finds in the summaries of the dataset), as many of each
 * alias; an alias without rows by a calibration of the models that answer. Null where the set has no paid model, and for a platform elsewhere.
 */
export async function expectedCost(
  run: PreparedRun,
  dataset: LadderDataset,
  cells: number,
  summaries: NewestFirst,
): Promise<Cost | null> {
  const { root, aliases, modelSet, prices, inputs } = run
  const { models } = run.experiment
  const name = modelSet ?? models.default_set
  const set = models.sets[name]
  if (inputs.gatewayUrl !== null || set === undefined || !Object.values(set.roles).some(isCloudModel)) return null
  const names = aliases.map(({ alias }) => alias)
  const past = await newestUsage(summaries, countsFor(run, dataset), names)
  const each = cells / Math.max(1, names.length)
  const costs = aliases.map((declared): Cost => {
    const { alias } = declared
    const usage = past.has(alias) ? null : calibratedUsage(root, set, declared)
    const known = usage === null ? past.get(alias) : { usage, cells: 1 }
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
