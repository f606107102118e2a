import type {
  PairedStatistics,
  PairsInput,
  RunChange,
  RunChanges,
  RunChangesInput,
} from '../../../contract/control/comparison.ts'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { isTestedPair, type MetricComparison } from '../../../contract/evidence/statistics.ts'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { Column, meanOver, sharedBy } from '../../report/aggregate/column.ts'
import { changeVerdict } from '../../report/verdict/change.ts'
import { decide, holmAdjusted } from '../../statistics/pair-decision.ts'
import { compareInWorker } from '../../statistics/thread/run-in-worker.ts'
import type { ComparisonOptions } from '../../statistics/options.ts'
import type { ScoreTable } from '../../statistics/score-table.ts'
import { ControlFailure } from '../control-failure.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { shareOfLook, shareOfTuned } from '../../statistics/planning/looks.ts'
import { currentAggregate } from './coverage.ts'
import { wholeMatrix } from './whole-matrix.ts'

type Gold = ReadonlyMap<string, readonly GoldEvidence[]>

/** Gold evidence by question, as the manifests have it now; none for datasets that they no longer have. */
export function goldOf(experiment: Experiment, datasetId: string): Gold {
  const questions = experiment.datasets.find(({ dataset }) => dataset.id === datasetId)?.questions ?? []
  return new Map(questions.map(({ id, gold }) => [id, gold]))
}

export interface StatisticsSource {
  index: RunIndexApi
  /** Questions that share gold evidence are not independent. */
  gold: (datasetId: string) => Promise<Gold>
  signal: AbortSignal
  /** States how the stored result of a run was tested, so that pages decide what the verdict decides. */
  testing: (run: TestedRun) => Promise<Testing>
}

type TestedRun = Pick<PairsInput, 'run_id' | 'dataset_id'>

/** States what the current look at a run may spend, and the largest difference that counts as none where the run set one. */
type Testing = Pick<ComparisonOptions, 'alphaShare' | 'equivalenceMargin'>

const SEED = 'rag-ladder'
const RESAMPLES = 10_000
/** Additions after which resampling gives way to the closed form: several seconds of two threads. */
const MOST_WORK = 3e9

interface Columns {
  revision: number
  questions: string[]
  approaches: string[]
  /** By question, then approach; NaN where there is no value. */
  scores: Float64Array
  lowerIsBetter: boolean
}

/** One alias in several runs, with its mean in each. */
type ColumnsOfRuns = Columns & { means: (number | null)[] }

/** Each table's comparison; they share one thread. */
async function compared(
  source: StatisticsSource,
  metric: string,
  datasetId: string,
  tables: readonly Columns[],
  testing: Testing = {},
): Promise<PairedStatistics[]> {
  const gold = await source.gold(datasetId)
  const made = tables.map((columns) => {
    const { clusters, cutPerKept, summary } = clusterQuestions(
      columns.questions.map((id) => clusterable({ id, gold: gold.get(id) ?? [] })),
    )
    const table: ScoreTable = {
      metric,
      questions: columns.questions.map((id, place) => ({ id, cluster: clusters[place]! })),
      approaches: columns.approaches,
      cutPerKept,
      scores: columns.scores,
      lowerIsBetter: columns.lowerIsBetter,
      ...rangeOf(metric),
      hasRatios: metricOfId(metric as IndexMetric).unit === 'duration',
    }
    const pairs = (columns.approaches.length * (columns.approaches.length - 1)) / 2
    return { table, summary, work: (pairs + columns.approaches.length) * summary.clusters * RESAMPLES * 3 }
  })
  const isLarge = made.reduce((sum, { work }) => sum + work, 0) > MOST_WORK
  const options = { seed: SEED, resamples: RESAMPLES, ...testing, ...(isLarge ? { method: 'student' as const } : {}) }
  const results = await compareInWorker(
    made.map(({ table }) => table),
    options,
    { signal: source.signal },
  )
  return made.map(({ summary }, at) => ({
    revision: tables[at]!.revision,
    comparison: results[at] as MetricComparison,
    clusters: summary,
  }))
}

/** The ends that no score can pass, so that pages have the intervals of reports; none for durations. */
function rangeOf(metric: string): Pick<ScoreTable, 'range'> {
  const { range } = metricOfId(metric as IndexMetric)
  const [least, greatest] = range
  return greatest === null ? {} : { range: [least, greatest] }
}

/** Adds the values of each alias of a page to its column, by question and answer; `indexes` numbers the questions. */
function addValues(rows: readonly MatrixPageRow[], columns: readonly Column[], indexes: Map<string, number>): void {
  for (const { question_id, repeat, cells } of rows) {
    const index = indexes.get(question_id) ?? indexes.size
    indexes.set(question_id, index)
    for (const [at, column] of columns.entries()) {
      const value = cells[at]?.value ?? null
      if (value !== null) column.set(index, value, repeat)
    }
  }
}

/** One score for each question and column, its mean over the answers to the question. */
const scoresOf = (columns: readonly Column[], questions: readonly number[]): Float64Array =>
  Float64Array.from(questions.flatMap((index) => columns.map((column) => column.meanAt(index))))

/** Returns how a run was tested, as its stored result has it. */
export async function testingIn(index: RunIndexApi, { run_id, dataset_id }: TestedRun): Promise<Testing> {
  const { datasets } = (await index.query('runSummary', { run_id })).summary
  const dataset = datasets.find((each) => each.dataset_id === dataset_id)
  const stored = dataset === undefined ? null : await currentAggregate(dataset)
  const { looks, tuned, equivalence_margin: margin } = stored ?? {}
  return {
    alphaShare: (looks === undefined ? 1 : shareOfLook(looks)) * shareOfTuned(tuned),
    ...(margin === undefined ? {} : { equivalenceMargin: margin }),
  }
}

/** Means of the aliases of a dataset run in one metric, with intervals, and every two of them against each other; one alias has no pair. */
export async function pairsOfAliases(source: StatisticsSource, input: PairsInput): Promise<PairedStatistics> {
  const { rows, aliases, revision } = await wholeMatrix(source.index, input)
  const columns = aliases.map(() => new Column())
  const indexes = new Map<string, number>()
  addValues(rows, columns, indexes)
  const table = {
    revision,
    questions: [...indexes.keys()],
    approaches: aliases,
    scores: scoresOf(columns, [...indexes.values()]),
    lowerIsBetter: metricOfId(input.metric).better === 'lower',
  }
  return (await compared(source, input.metric, input.dataset_id, [table], await source.testing(input)))[0]!
}

/**
 * Every alias of a run against each other run that has it. Each pair is tested on its own questions; Holm's correction is over all of them, because a
 * reader looks for any that changed.
 */
export async function changesOfRuns(source: StatisticsSource, input: RunChangesInput): Promise<RunChanges> {
  const { dataset_id, metric } = input
  const [run, ...others] = [...new Set(input.run_ids)] as [string, ...string[]]
  if (others.length === 0) throw new ControlFailure('input_invalid', 'a comparison needs two runs')
  const comparison = await source.index.query('compareRuns', {
    run_ids: [run, ...others],
    metric,
    dataset_id,
    limit: 0,
  })
  const lowerIsBetter = comparison.better === 'lower'
  const common: { model: string; other: string; columns: ColumnsOfRuns }[] = []
  for (const { model, runs } of comparison.aliases) {
    const having = new Set(runs.map(({ run_id }) => run_id))
    for (const other of having.has(run) ? others.filter((id) => having.has(id)) : []) {
      const columns = await columnsOfRuns(source, { run_ids: [run, other], dataset_id, metric, alias: model })
      if (columns.questions.length > 0) common.push({ model, other, columns })
    }
  }
  // Looks are those of one run; a change between two has none.
  const { equivalenceMargin: margin } = await source.testing({ run_id: run, dataset_id })
  const statistics =
    common.length === 0
      ? []
      : await compared(
          source,
          metric,
          dataset_id,
          common.map(({ columns }) => columns),
          margin === undefined ? {} : { equivalenceMargin: margin },
        )
  const pairs = statistics.map((each) => each.comparison.pairs[0]!)
  const adjusted = holmAdjusted(pairs.map((pair) => (isTestedPair(pair) ? pair.p : null)))
  const alikes = holmAdjusted(pairs.map(({ equivalence }) => equivalence?.p ?? null))
  const changes = common.map(({ model, other, columns: { means } }, at): RunChange => {
    const [to, from] = means
    const pair = pairs[at]!
    const p = adjusted[at] ?? null
    const level = statistics[at]!.comparison.settings.level
    const alike = pair.equivalence ?? null
    const equivalence = alike === null ? null : { ...alike, ...correctedBy(alikes[at]!, level) }
    const decision = p === null ? ('undecided' as const) : decide(pair.difference, p, level, lowerIsBetter)
    const difference = (lowerIsBetter ? -1 : 1) * (to! - from!)
    return { model, other, from: from!, to: to!, difference, pair: { ...pair, p_adjusted: p, decision, equivalence } }
  })
  return {
    revision: common.at(-1)?.columns.revision ?? 0,
    changes,
    ...changeVerdict(metric, changes, statistics[0]?.clusters),
  }
}

/** Equivalence after the correction over all changes. */
const correctedBy = (p: number, level: number) => ({ p_adjusted: p, equivalent: p <= 1 - level })

/** One alias in two runs, over the questions that both have a value for. */
async function columnsOfRuns(
  source: StatisticsSource,
  input: RunChangesInput & { alias: string },
): Promise<ColumnsOfRuns> {
  const { dataset_id, metric, alias, run_ids: runIds } = input
  const columns = runIds.map(() => new Column())
  const indexes = new Map<string, number>()
  let revision = 0
  for (const [place, run_id] of runIds.entries()) {
    const matrix = await wholeMatrix(source.index, { run_id, dataset_id, metric, aliases: [alias] })
    revision = matrix.revision
    addValues(matrix.rows, [columns[place]!], indexes)
  }
  const shared = sharedBy(columns, [...indexes.values()])
  const ids = [...indexes.keys()]
  return {
    revision,
    questions: shared.map((index) => ids[index]!),
    approaches: runIds,
    scores: scoresOf(columns, shared),
    means: columns.map((column) => meanOver(column, shared)),
    lowerIsBetter: metricOfId(metric).better === 'lower',
  }
}
