import type { EvaluationMetric } from '../../../contract/common.ts'
import type { Aggregate, LookLedger, SharedUse } from '../../../contract/evidence/aggregate.ts'
import type { TunedApproach } from '../../../contract/evidence/tuning.ts'
import type { MeasuredLevel } from '../../../contract/evidence/measured-level.ts'
import type { RowApproach, RowDataset } from '../../../contract/evidence/canonical-row.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import type { Dataset } from '../../../contract/manifests/datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { isOwnDataset } from '../../manifests/datasets/own-datasets.ts'
import type { JudgeInput } from './judge-input.ts'

export type SummaryAlias = Pick<RowApproach, 'model' | 'base_model' | 'flavor' | 'evidence_capability'>
export type SummaryQuestion = Aggregate['questions'][number]

/** Describes what a run was requested to do: the rows alone do not show which cells are missing. */
export interface RunSummaryContext {
  runId: string
  datasetId: string
  /** Null: as the rows record it. */
  dataset: RowDataset | null
  /** In the order of the questions file; null: the questions of the rows, by id. */
  questions: readonly SummaryQuestion[] | null
  /** Selected aliases in the order of the selection; null: the aliases of the rows, in ladder order. */
  aliases: readonly SummaryAlias[] | null
  /** Selected aliases that could not be called, with the reason. */
  unavailable: readonly (SummaryAlias & { reason: string })[]
  /** Requested metrics of class `ragas`; null: those that the rows requested. */
  metrics: readonly EvaluationMetric[] | null
  /** Answers per question and approach; rows of further repetitions are left out. Null: as many as the rows have. */
  repeats: number | null
  judge: JudgeInput
  /** Earlier looks at the result; absent where they are not known. */
  looks?: LookLedger | undefined
  /** States how relational the dataset was when it ran; absent where it was not measured. */
  measuredLevel?: MeasuredLevel | undefined
  /** Holds what models used for reading the documents; absent where it is not known. */
  ingestionUse?: SharedUse | undefined
  /** Approaches whose settings a tuning chose on this dataset; absent where there is none. */
  tuned?: readonly TunedApproach[] | undefined
  /** Largest difference that counts as none, as a share of the scale; absent where the experiment sets none. */
  equivalenceMargin?: number | undefined
}

const summaryAlias = (alias: Alias): SummaryAlias => ({
  model: alias.alias,
  base_model: alias.base,
  flavor: alias.flavor.flavor,
  evidence_capability: alias.evidence,
})

const summaryQuestion = ({ id, hops, answerable, gold }: Question): SummaryQuestion => ({
  id,
  hops,
  answerable,
  has_gold: gold.length > 0,
})

/** Returns what rows and aggregates keep of a dataset. */
export const rowDataset = (dataset: Dataset): RowDataset => ({
  id: dataset.id,
  label: dataset.label,
  complexity_level: dataset.complexity_level,
  questions_file: dataset.queries_file,
  corpus_path: dataset.corpus_path,
})

interface RunSelection {
  runId: string
  dataset: LadderDataset
  /** All that were selected, the unavailable ones among them or not. */
  aliases: readonly Alias[]
  unavailable: readonly { alias: Alias; reason: string }[]
  metrics: readonly EvaluationMetric[]
  repeats: number
  judge: JudgeInput
  measuredLevel?: MeasuredLevel
  tuned?: readonly TunedApproach[]
}

/** The context of a run that is under way, from its manifests. */
export function summaryContextOfRun(selection: RunSelection): RunSummaryContext {
  const { dataset, questions } = selection.dataset
  const unavailable = new Set(selection.unavailable.map(({ alias }) => alias.alias))
  return {
    runId: selection.runId,
    datasetId: dataset.id,
    dataset: rowDataset(dataset),
    questions: questions.map(summaryQuestion),
    aliases: selection.aliases.filter(({ alias }) => !unavailable.has(alias)).map(summaryAlias),
    unavailable: selection.unavailable.map(({ alias, reason }) => ({ ...summaryAlias(alias), reason })),
    metrics: selection.metrics,
    repeats: selection.repeats,
    judge: selection.judge,
    looks: { plan: isOwnDataset(selection.dataset) ? 'open' : 'fixed', seen: [] },
    measuredLevel: selection.measuredLevel,
    tuned: selection.tuned,
    equivalenceMargin: selection.dataset.equivalenceMargin,
  }
}

/** The context that an aggregate was made in, so that it can be made again from its evidence. */
export function summaryContextOf(aggregate: Aggregate, judge: JudgeInput): RunSummaryContext {
  return {
    runId: aggregate.run_id,
    datasetId: aggregate.dataset.id,
    dataset: aggregate.dataset,
    questions: aggregate.questions,
    aliases: aggregate.approaches.filter((approach) => approach.selected),
    unavailable: aggregate.unavailable,
    metrics: aggregate.metrics,
    repeats: aggregate.repeats,
    judge,
    looks: aggregate.looks,
    measuredLevel: aggregate.measured_level,
    ingestionUse: aggregate.ingestion_use,
    tuned: aggregate.tuned,
    equivalenceMargin: aggregate.equivalence_margin,
  }
}

/** The context of evidence about which nothing else is known: what its rows record, and no judges. */
export function summaryContextFromRows(runId: string, datasetId: string): RunSummaryContext {
  return {
    runId,
    datasetId,
    dataset: null,
    questions: null,
    aliases: null,
    unavailable: [],
    metrics: null,
    repeats: null,
    judge: { state: 'disabled' },
  }
}
