import { z } from 'zod'
import { RetryFailed } from '../../contract/evidence/run-event.ts'
import { TraceLevel } from '../../contract/evidence/trace.ts'
import { ContextBudget } from '../../contract/evidence/context-budget.ts'
import { EvaluationMetric, PrimaryMetric } from '../../contract/common.ts'
import { RunState } from '../../contract/control/run-job.ts'
import { COST_AXES } from '../features/compare/compare-words.ts'
import { IndexMetric, CellMetricState } from '../../contract/control/run-index/metrics.ts'

/** A member of an address: dropped where it is not understood. */
const kept = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)
/** Items of a list, without those that are not understood. */
const itemsOf = <Item>(item: z.ZodType<Item>) =>
  z.array(z.unknown()).transform((items) => items.flatMap((each) => item.safeParse(each).data ?? []))
/** A list that is absent where nothing is left of it. */
const some = <Item>(item: z.ZodType<Item>) => kept(itemsOf(item).refine((items) => items.length > 0))

const Word = z.string().min(1)
/** A name may look like a number. */
const Name = z.union([Word, z.number().transform(String)])
const text = kept(Name)
const texts = some(Word)
const flag = kept(z.boolean())
const yes = kept(z.literal(true))
const metric = kept(IndexMetric)
/** A list of names, or one name alone: a person who types an address leaves out the brackets. An empty list is a choice: nothing is chosen. */
const names = kept(z.union([Name.transform((name) => name.split(',')), itemsOf(z.string())]))

/** Address → view, without what is absent, so that a link only holds what was chosen. */
const reader =
  <Schema extends z.ZodType<object>>(schema: Schema) =>
  (raw: Record<string, unknown>): z.output<Schema> =>
    Object.fromEntries(Object.entries(schema.parse(raw)).filter(([, value]) => value !== undefined)) as z.output<Schema>

/** Which dataset of the run a tab shows; the run itself is in the path. */
const RunView = z.object({ dataset: text })

/** Which runs a trend joins, and what it draws of them. */
const Trend = z.object({
  /** Dataset of the trend. */
  trend: text,
  /** The run that others are compared with; the person's newest one when absent. */
  of: text,
  /** The primary metric of that run when absent. */
  metric,
})
export type TrendSearch = z.output<typeof Trend>

/** A view of the list of runs: the run whose details are open, those that are ticked to be compared, and the filter. */
export const readRunsSearch = reader(
  Trend.extend({
    run: text,
    ticked: texts,
    text,
    tag: text,
    state: kept(RunState),
    starred: yes,
    /** Only runs of the person, no samples. */
    own: yes,
  }),
)

/** True where only metrics are listed that a cell has no value of. */
export const readCoverageSearch = reader(RunView.extend({ gaps: yes }))

/** Number of the question, from 1. */
export const readJudgesSearch = reader(RunView.extend({ set: kept(z.int().positive()) }))

const Tab = z.enum(['evidence', 'path', 'scores', 'provenance', 'raw'])
export type CellTab = z.output<typeof Tab>

const Sort = z.enum(['position', 'hops', 'mean', 'spread', 'value'])
export type SortBy = z.output<typeof Sort>

/** A view of the matrix: everything that a link must reproduce. */
const Matrix = RunView.extend({
  metric,
  baseline: text,
  /** Aliases that stay at the left, in this order. */
  pinned: texts,
  /** Aliases without a column. */
  hidden: texts,
  /** Cells show the difference to the baseline instead of the value. */
  show: kept(z.literal('difference')),
  /** Cells also show the beginning of their answer. */
  answers: yes,
  sort: kept(Sort),
  sortAlias: text,
  descending: yes,
  states: some(CellMetricState),
  hops: some(z.int()),
  winner: text,
  spread: kept(z.number().positive()),
  text,
  /** Row id of the open cell, the tab in it, and the alias it is compared with. */
  cell: text,
  tab: kept(Tab),
  against: text,
})
export type MatrixSearch = z.output<typeof Matrix>
export const readMatrixSearch = reader(Matrix)

/** One cell as a page; the rest is the view of the matrix that it was opened from. */
export const readCellSearch = reader(Matrix.omit({ cell: true }).extend({ row: Name.catch('') }))

/** With `land`, the page goes on to the verdict when the run is complete: of the first one. */
export const readProgressSearch = reader(z.object({ land: yes }))

/** Steps of the sheet New run: data, approaches, models. */
const Step = z.literal([1, 2, 3])
export type SheetStep = z.output<typeof Step>

/** A request as it is being put together; what is absent is as the manifests define. */
const Launch = z.object({
  /** The open step; absent: the first that the rest leaves to choose. */
  step: kept(Step),
  datasets: names,
  models: names,
  name: text,
  metrics: kept(itemsOf(EvaluationMetric)),
  primary: kept(PrimaryMetric),
  excludeCut: flag,
  judge: flag,
  judges: texts,
  repeats: kept(z.int()),
  concurrency: kept(z.int()),
  contextBudget: kept(ContextBudget),
  trace: kept(TraceLevel),
  budget: kept(z.number().positive()),
  modelSet: text,
  /** Failed cells of a stored run to try again. */
  retry: kept(RetryFailed),
  cold: flag,
  publish: flag,
})
export type LaunchSearch = z.output<typeof Launch>
export const readLaunchSearch = reader(Launch)

const Dataset = z.object({
  /** The open dataset; absent: the list. */
  dataset: text,
  /** Of the list: what is searched for, and the ticked datasets. */
  text,
  ticked: texts,
  view: kept(z.enum(['questions', 'documents', 'check', 'graph', 'ask'])),
  document: text,
  question: text,
  /** Of a document: whether the borders of its chunks are shown, and the number of the chosen one, from 1. */
  chunks: yes,
  chunk: kept(z.int().positive()),
  /** Whom a spoken question is put to. */
  models: kept(itemsOf(z.string())),
  /** Of the graph: the chosen entity, how many are shown, and in which form. */
  entity: text,
  limit: kept(z.int().min(1).max(1500)),
  as: kept(z.literal('table')),
})
export type DatasetSearch = z.output<typeof Dataset>
export const readDatasetSearch = reader(Dataset)

export const MODELS_PARTS = ['catalogue', 'prices'] as const

/** A view of the page Models. */
const Models = z.object({
  /** The model set whose roles are shown; absent: that which runs use. */
  set: text,
  /** The part that is opened above the others. */
  show: kept(z.enum(MODELS_PARTS)),
  /** The dialog that connects a service is open. */
  connect: yes,
})
export type ModelsSearch = z.output<typeof Models>
export const readModelsSearch = reader(Models)

/** Page of the guide, and the heading it is scrolled to. */
export const readHelpSearch = reader(z.object({ page: text, at: text }))

const SettingsPart = z.enum(['models', 'tokens', 'data', 'look'])
export type SettingsTab = z.output<typeof SettingsPart>
export const readSettingsSearch = reader(z.object({ tab: kept(SettingsPart) }))

/** The tuning that is shown, or the dataset and alias that a new one begins with. */
export const readTuneSearch = reader(z.object({ name: text, dataset: text, alias: text }))

const Audio = z.enum(['transcribe', 'speak', 'voices'])
export type AudioView = z.output<typeof Audio>
export const readAudioSearch = reader(z.object({ view: kept(Audio) }))

/** Services whose log is open; without it, those that failed. An empty list is a choice: every log is closed. */
export const readProvidersSearch = reader(z.object({ open: kept(itemsOf(z.string())) }))

export const readCompareSearch = reader(RunView.extend({ run: text, runs: texts, metric }))

/** The metric of the charts, the leading one of the run when absent, and what quality is set against; latency when absent. */
export const readVerdictSearch = reader(RunView.extend({ metric, cost: kept(z.enum(COST_AXES)) }))
