import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { Identifier } from '../common.ts'
import { BudgetPoint } from '../evidence/aggregate.ts'
import { ClusterSummary, MetricComparison, PairComparison } from '../evidence/statistics.ts'
import { Verdict } from '../evidence/verdict.ts'
import { Cost } from '../manifests/prices.ts'
import { IndexMetric } from './run-index/metrics.ts'
import { aliasList, Name, runDataset } from './run-index/parts.ts'

export const PairsInput = z.strictObject({
  ...runDataset,
  metric: IndexMetric,
  /** All of the dataset run when absent. */
  aliases: aliasList.optional(),
})
export type PairsInput = z.infer<typeof PairsInput>

/** The aliases of a run, the first one, in other runs of its dataset: repetitions, or before and after a change. */
export const RunChangesInput = z.strictObject({
  run_ids: z.array(Name).min(2).max(20),
  dataset_id: Name,
  metric: IndexMetric,
})
export type RunChangesInput = z.infer<typeof RunChangesInput>

/**
 * Means with intervals and each pair's decision, corrected over all pairs. To read it against a baseline, take the pairs that hold it: with
 * the baseline as `a`, differences and decision turn round. `revision` is the index's when the scores were read.
 */
export const PairedStatistics = z.strictObject({
  revision: z.int().min(0),
  comparison: MetricComparison,
  clusters: ClusterSummary,
})
export type PairedStatistics = z.infer<typeof PairedStatistics>

/** An alias in the first run against another one, over their common questions. */
export const RunChange = z.strictObject({
  model: Name,
  other: Name,
  /** Mean of the other run, and of the first one; the difference is `to` − `from`, with its sign turned where lower is better. */
  from: z.number(),
  to: z.number(),
  difference: z.number(),
  /** The first run as `a`; p and decision are corrected over all changes that were tested. Null without a common question. */
  pair: PairComparison.nullable(),
})
export type RunChange = z.infer<typeof RunChange>

/** Describes what changed between runs, with one sentence that claims what the tests carry. */
export const RunChanges = z.strictObject({
  revision: z.int().min(0),
  /** One per alias that both runs have and other run; those without a common question are left out. */
  changes: z.array(RunChange),
  headline: z.string(),
  why: z.string(),
})
export type RunChanges = z.infer<typeof RunChanges>

export const ProvenanceDiffInput = z.strictObject({ run_ids: z.array(Name).min(1).max(20), dataset_id: Name })

/** Fields of the rows' provenance that differ between runs; `values` by place in `run_ids`, null where the run does not have it. */
export const ProvenanceDiff = z.strictObject({
  run_ids: z.array(Name),
  /** Runs whose provenance is not known: historical, or not indexed. */
  unknown_run_ids: z.array(Name),
  same: z.int().min(0),
  differences: z.array(z.strictObject({ path: z.string(), values: z.array(z.string().nullable()) })),
})
export type ProvenanceDiff = z.infer<typeof ProvenanceDiff>

export const FrontierInput = z.strictObject({
  run_ids: z.array(Name).min(1).max(20),
  dataset_id: Name.optional(),
  metric: IndexMetric,
})
export type FrontierInput = z.infer<typeof FrontierInput>

/** An alias in one dataset run: quality against what it costs. Costs are means per answered cell; null where they are not known. */
export const FrontierPoint = z.strictObject({
  ...runDataset,
  model: Name,
  /** Null in a historical snapshot, which does not name it. */
  base_model: BaseApproach.nullable(),
  quality: z.number().nullable(),
  n: z.int().min(0),
  expected: z.int().min(0),
  /** Median of its answers; the other costs are means per answer. */
  latency_ms: z.number().nullable(),
  total_tokens: z.number().nullable(),
  llm_calls: z.number().nullable(),
  cloud_calls: z.number().nullable(),
  /** Its means by number of hops, null for questions whose author did not count them; empty for a run that is not summed up, and for other metrics than scores of answers. */
  by_hops: z.array(
    z.strictObject({
      hops: z.int().nullable(),
      mean: z.number().nullable(),
      n: z.int().min(0),
      expected: z.int().min(0),
    }),
  ),
})
export type FrontierPoint = z.infer<typeof FrontierPoint>

export const Frontier = z.strictObject({
  metric: IndexMetric,
  better: z.enum(['higher', 'lower']),
  points: z.array(FrontierPoint),
})
export type Frontier = z.infer<typeof Frontier>

/** Describes what a run decides, on its primary metric. */
export const RunResult = z.strictObject({
  /** One per dataset that is summed up, in ladder order; with several, corrected over all of them. */
  verdicts: z.array(Verdict),
  /** Labels of datasets with rows that are not summed up yet. */
  pending: z.array(z.string()),
  /** States how relational the datasets are, as declared and as measured, and levels that are in another order; empty for results of before. */
  levels: z.array(z.string()),
  /** Approaches whose answers called a model that leaves this machine, per run. */
  cloud: z.array(Identifier),
  /** Holds what the approaches cost at today's prices; empty where no paid model was asked. */
  costs: z.array(
    z.strictObject({
      dataset_id: Identifier,
      label: z.string(),
      model: Identifier,
      base: BaseApproach,
      /** Cells that answered. */
      answers: z.int().min(0),
      cost: Cost,
      /** Of grading the answers. */
      grading: Cost,
    }),
  ),
  /** Lists each dataset run's use of models as a table of words with costs at today's prices; empty where no model is named. */
  used: z.array(z.strictObject({ label: z.string(), head: z.array(z.string()), rows: z.array(z.array(z.string())) })),
  /** Text handed over, facts found in the first of it, and what the approaches share, per dataset. */
  amounts: z.array(
    z.strictObject({
      dataset_id: Identifier,
      label: z.string(),
      /** Tokens; null where approaches ran as they are declared. */
      context_budget: z.int().nullable(),
      approaches: z.array(
        z.strictObject({
          model: Identifier,
          base: BaseApproach,
          context_tokens: z.number().nullable(),
          budget_curve: z.array(BudgetPoint).nullable(),
        }),
      ),
      /** States how the extraction of the graph went; null where no row records it. */
      extraction: z.string().nullable(),
      protocol: z.array(z.strictObject({ part: z.string(), equal: z.boolean().nullable(), values: z.string() })),
    }),
  ),
  /** Holds what to know before any figure, such as that built-in rules were used; null where there is nothing. */
  caution: z.string().nullable(),
  /** That a published run is older than this version, in a sentence; null where it is not, or the age is unknown. */
  age: z.string().nullable(),
})
export type RunResult = z.infer<typeof RunResult>
