import { RetryFailed } from '../../contract/evidence/run-event.ts'
import { TraceLevel } from '../../contract/evidence/trace.ts'
import { ContextBudget } from '../../contract/evidence/context-budget.ts'
import { EvaluationMetric, PrimaryMetric } from '../../contract/common.ts'
import { RunState } from '../../contract/control/run-job.ts'
import type { RunFilter } from '../features/runs/run-filter.ts'
import { COST_AXES, type CostAxis } from '../features/compare/compare-words.ts'
import { IndexMetric, CellMetricState } from '../../contract/control/run-index/metrics.ts'

type Raw = Record<string, unknown>

const text = (raw: Raw, key: string): string | undefined => {
  const value = raw[key]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
}
const texts = (raw: Raw, key: string): string[] | undefined => {
  const value = raw[key]
  if (!Array.isArray(value)) return undefined
  const kept = value.filter((item): item is string => typeof item === 'string' && item !== '')
  return kept.length === 0 ? undefined : kept
}
const list = (raw: Raw, key: string): string[] | undefined => {
  const value = raw[key]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}
/** A list of names, or one name alone: a person who types an address leaves out the brackets. */
const names = (raw: Raw, key: string): string[] | undefined => {
  const name = text(raw, key)
  return name === undefined ? list(raw, key) : name.split(',')
}
const flag = (raw: Raw, key: string): boolean | undefined => {
  const value = raw[key]
  return typeof value === 'boolean' ? value : undefined
}
const whole = (raw: Raw, key: string): number | undefined => {
  const value = raw[key]
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}
const positive = (raw: Raw, key: string): number | undefined => {
  const value = whole(raw, key)
  return value !== undefined && value > 0 ? value : undefined
}
const numbers = (raw: Raw, key: string): number[] | undefined => {
  const value = raw[key]
  if (!Array.isArray(value)) return undefined
  const kept = value.filter((item): item is number => typeof item === 'number' && Number.isInteger(item))
  return kept.length === 0 ? undefined : kept
}
const member = <Value extends string>(value: string | undefined, options: readonly Value[]): Value | undefined =>
  options.find((option) => option === value)

/** Without what is absent, so that a link only holds what was chosen. */
const present = <Search extends object>(search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search

const TABS = ['evidence', 'scores', 'path', 'timing', 'provenance', 'raw'] as const
export type CellTab = (typeof TABS)[number]

const SORTS = ['position', 'hops', 'mean', 'spread', 'value'] as const
export type SortBy = (typeof SORTS)[number]

/** Which dataset of the run a tab shows; the run itself is in the path. */
export interface RunSearch {
  dataset?: string
}

/** Which runs a trend joins, and what it draws of them. */
export interface TrendSearch {
  /** Dataset of the trend. */
  trend?: string | undefined
  /** The run that others are compared with; the person's newest one when absent. */
  of?: string | undefined
  /** The primary metric of that run when absent. */
  metric?: IndexMetric | undefined
}

/** A view of the list of runs: the run whose details are open, and the filter. */
export interface RunsSearch extends RunFilter, TrendSearch {
  run?: string | undefined
  /** Runs that are ticked to be compared. */
  ticked?: string[] | undefined
}

export interface JudgesSearch extends RunSearch {
  /** Number of the question, from 1. */
  set?: number
}

/** A view of the matrix: everything that a link must reproduce. */
export interface MatrixSearch extends RunSearch {
  metric?: IndexMetric
  baseline?: string
  /** Aliases that stay at the left, in this order. */
  pinned?: string[]
  /** Aliases without a column. */
  hidden?: string[]
  /** Cells show the difference to the baseline instead of the value. */
  show?: 'difference'
  /** Cells also show the beginning of their answer. */
  answers?: boolean
  sort?: SortBy
  sortAlias?: string
  descending?: boolean
  states?: CellMetricState[]
  hops?: number[]
  winner?: string
  spread?: number
  text?: string
  /** Row id of the open cell, the tab in it, and the alias it is compared with. */
  cell?: string
  tab?: CellTab
  against?: string
}

/** One cell as a page; the rest is the view of the matrix that it was opened from. */
export interface CellSearch extends Omit<MatrixSearch, 'cell'> {
  row: string
}

export interface ProgressSearch {
  /** The page goes on to the verdict when the run is complete: of the first one. */
  land?: boolean
}

/** Steps of the sheet New run: data, approaches, models. */
export type SheetStep = 1 | 2 | 3

/** A request as it is being put together; what is absent is as the manifests define. */
export interface LaunchSearch {
  /** The open step; absent: the first that the rest leaves to choose. */
  step?: SheetStep | undefined
  datasets?: string[]
  models?: string[]
  name?: string | undefined
  metrics?: EvaluationMetric[] | undefined
  primary?: PrimaryMetric | undefined
  excludeCut?: boolean | undefined
  judge?: boolean | undefined
  judges?: string[] | undefined
  repeats?: number | undefined
  concurrency?: number | undefined
  contextBudget?: ContextBudget | undefined
  trace?: TraceLevel | undefined
  budget?: number | undefined
  modelSet?: string | undefined
  /** Failed cells of a stored run to try again. */
  retry?: RetryFailed | undefined
  cold?: boolean | undefined
  publish?: boolean | undefined
}

/** Page of the guide, and the heading it is scrolled to. */
export interface HelpSearch {
  page?: string
  at?: string
}

export interface DatasetSearch {
  /** The open dataset; absent: the list. */
  dataset?: string
  /** Of the list: what is searched for, and the ticked datasets. */
  text?: string
  ticked?: string[]
  view?: 'questions' | 'documents' | 'check' | 'graph' | 'ask'
  document?: string
  question?: string
  /** Of a document: whether the borders of its chunks are shown, and the number of the chosen one, from 1. */
  chunks?: true
  chunk?: number
  /** Whom a spoken question is put to. */
  models?: string[]
  /** Of the graph: the chosen entity, how many are shown, and in which form. */
  entity?: string
  limit?: number
  as?: 'table'
}

const SETTINGS_TABS = ['models', 'tokens', 'data', 'look'] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]

export interface SettingsSearch {
  tab?: SettingsTab
}

const AUDIO_VIEWS = ['transcribe', 'speak', 'voices'] as const
export type AudioView = (typeof AUDIO_VIEWS)[number]

export interface AudioSearch {
  view?: AudioView
}

export interface TuneSearch {
  /** The tuning that is shown. */
  name?: string | undefined
  /** What a new one begins with. */
  dataset?: string | undefined
  alias?: string | undefined
}

export interface ProvidersSearch {
  /** Services whose log is open; without it, those that failed. */
  open?: string[]
}

export interface CoverageSearch extends RunSearch {
  /** Of the chart. */
  metric?: string
  /** Only metrics that some cell has no value of. */
  gaps?: boolean
}

export interface CompareSearch extends RunSearch {
  run?: string
  runs?: string[]
  metric?: IndexMetric
}

export interface VerdictSearch extends RunSearch {
  /** Of the charts; the leading one of the run when absent. */
  metric?: IndexMetric
  /** Holds what quality is set against; latency when absent. */
  cost?: CostAxis
}

const metricOf = (raw: Raw): IndexMetric | undefined => member(text(raw, 'metric'), IndexMetric.options)

/** Address → view; what is not understood is dropped. */
export const readRunsSearch = (raw: Raw): RunsSearch =>
  present({
    run: text(raw, 'run'),
    ticked: texts(raw, 'ticked'),
    text: text(raw, 'text'),
    tag: text(raw, 'tag'),
    state: member(text(raw, 'state'), RunState.options),
    starred: raw.starred === true ? true : undefined,
    own: raw.own === true ? true : undefined,
    trend: text(raw, 'trend'),
    of: text(raw, 'of'),
    metric: metricOf(raw),
  })

export const readCoverageSearch = (raw: Raw): CoverageSearch =>
  present({ dataset: text(raw, 'dataset'), metric: text(raw, 'metric'), gaps: raw.gaps === true ? true : undefined })

export const readJudgesSearch = (raw: Raw): JudgesSearch =>
  present({
    dataset: text(raw, 'dataset'),
    set: positive(raw, 'set'),
  })

export const readMatrixSearch = (raw: Raw): MatrixSearch =>
  present({
    dataset: text(raw, 'dataset'),
    metric: metricOf(raw),
    baseline: text(raw, 'baseline'),
    pinned: texts(raw, 'pinned'),
    hidden: texts(raw, 'hidden'),
    show: member(text(raw, 'show'), ['difference'] as const),
    answers: raw.answers === true ? true : undefined,
    sort: member(text(raw, 'sort'), SORTS),
    sortAlias: text(raw, 'sortAlias'),
    descending: raw.descending === true ? true : undefined,
    states: texts(raw, 'states')?.filter((state): state is CellMetricState => CellMetricState.safeParse(state).success),
    hops: numbers(raw, 'hops'),
    winner: text(raw, 'winner'),
    spread: typeof raw.spread === 'number' && raw.spread > 0 ? raw.spread : undefined,
    text: text(raw, 'text'),
    cell: text(raw, 'cell'),
    tab: member(text(raw, 'tab'), TABS),
    against: text(raw, 'against'),
  })

export const readCellSearch = (raw: Raw): CellSearch => ({
  ...readMatrixSearch({ ...raw, cell: undefined }),
  row: text(raw, 'row') ?? '',
})

export const readProgressSearch = (raw: Raw): ProgressSearch => present({ land: raw.land === true ? true : undefined })

const contextBudgetOf = (value: unknown): ContextBudget | undefined => {
  const parsed = ContextBudget.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

export const readLaunchSearch = (raw: Raw): LaunchSearch =>
  present({
    step: ([1, 2, 3] as const).find((step) => step === raw.step),
    // An empty list is a choice here: nothing is chosen, nothing is evaluated.
    datasets: names(raw, 'datasets'),
    models: names(raw, 'models'),
    name: text(raw, 'name'),
    metrics: list(raw, 'metrics')?.filter((metric) => EvaluationMetric.safeParse(metric).success) as
      | EvaluationMetric[]
      | undefined,
    primary: member(text(raw, 'primary'), PrimaryMetric.options),
    excludeCut: flag(raw, 'excludeCut'),
    judge: flag(raw, 'judge'),
    judges: texts(raw, 'judges'),
    repeats: whole(raw, 'repeats'),
    concurrency: whole(raw, 'concurrency'),
    contextBudget: contextBudgetOf(raw['contextBudget']),
    trace: member(text(raw, 'trace'), TraceLevel.options),
    budget: typeof raw.budget === 'number' && raw.budget > 0 ? raw.budget : undefined,
    modelSet: text(raw, 'modelSet'),
    retry: member(text(raw, 'retry'), RetryFailed.options),
    cold: flag(raw, 'cold'),
    publish: flag(raw, 'publish'),
  })

export const readDatasetSearch = (raw: Raw): DatasetSearch =>
  present({
    dataset: text(raw, 'dataset'),
    text: text(raw, 'text'),
    ticked: texts(raw, 'ticked'),
    view: member(text(raw, 'view'), ['questions', 'documents', 'check', 'graph', 'ask'] as const),
    document: text(raw, 'document'),
    question: text(raw, 'question'),
    chunks: raw.chunks === true ? true : undefined,
    chunk: positive(raw, 'chunk'),
    models: list(raw, 'models'),
    entity: text(raw, 'entity'),
    limit:
      typeof raw.limit === 'number' && Number.isInteger(raw.limit) && raw.limit >= 1 && raw.limit <= 1500
        ? raw.limit
        : undefined,
    as: member(text(raw, 'as'), ['table'] as const),
  })

export const MODELS_PARTS = ['catalogue', 'prices'] as const

/** A view of the page Models. */
export interface ModelsSearch {
  /** The model set whose roles are shown; absent: that which runs use. */
  set?: string | undefined
  /** The part that is opened above the others. */
  show?: (typeof MODELS_PARTS)[number] | undefined
  /** The dialog that connects a service is open. */
  connect?: true | undefined
}

export const readModelsSearch = (raw: Raw): ModelsSearch =>
  present({
    set: text(raw, 'set'),
    show: member(text(raw, 'show'), MODELS_PARTS),
    connect: raw.connect === true ? true : undefined,
  })

export const readHelpSearch = (raw: Raw): HelpSearch => present({ page: text(raw, 'page'), at: text(raw, 'at') })

export const readSettingsSearch = (raw: Raw): SettingsSearch =>
  present({ tab: member(text(raw, 'tab'), SETTINGS_TABS) })

export const readTuneSearch = (raw: Raw): TuneSearch =>
  present({ name: text(raw, 'name'), dataset: text(raw, 'dataset'), alias: text(raw, 'alias') })

export const readAudioSearch = (raw: Raw): AudioSearch => present({ view: member(text(raw, 'view'), AUDIO_VIEWS) })

export const readProvidersSearch = (raw: Raw): ProvidersSearch =>
  // An empty list is a choice: every log is closed.
  present({ open: list(raw, 'open') })

export const readCompareSearch = (raw: Raw): CompareSearch =>
  present({
    run: text(raw, 'run'),
    dataset: text(raw, 'dataset'),
    runs: texts(raw, 'runs'),
    metric: metricOf(raw),
  })

export const readVerdictSearch = (raw: Raw): VerdictSearch =>
  present({
    dataset: text(raw, 'dataset'),
    metric: metricOf(raw),
    cost: member(text(raw, 'cost'), COST_AXES),
  })
