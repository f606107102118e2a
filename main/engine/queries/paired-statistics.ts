import type { PairedStatistics, PairsInput, RunPairsInput } from '../../../contract/control/comparison.ts'
import { metricOfId, type MatrixPageRow, type MetricComparison } from '../../../contract/index.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { clusterQuestions } from '../../statistics/clusters.ts'
import { compareInWorker } from '../../statistics/run-in-worker.ts'
import type { ScoreTable } from '../../statistics/score-table.ts'
import { ControlFailure } from '../control-failure.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { wholeMatrix } from './whole-matrix.ts'

/** Gold documents by question; questions that share one are not independent. */
type GoldDocuments = (datasetId: string) => Promise<ReadonlyMap<string, readonly string[]>>

/** Gold documents as the manifests name them now; none for datasets that they no longer have. */
export function goldDocumentsOf(experiment: Experiment, datasetId: string): Map<string, readonly string[]> {
  const questions = experiment.datasets.find(({ dataset }) => dataset.id === datasetId)?.questions ?? []
  return new Map(questions.map(({ id, gold }) => [id, [...new Set(gold.map(({ document }) => document))]]))
}

export interface StatisticsSource {
  index: RunIndexApi
  goldDocuments: GoldDocuments
  signal: AbortSignal
}

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

async function compared(
  source: StatisticsSource,
  metric: string,
  datasetId: string,
  columns: Columns,
): Promise<PairedStatistics> {
  const documents = await source.goldDocuments(datasetId)
  const clusterable = columns.questions.map((id) => ({ id, documents: documents.get(id) ?? [] }))
  const { clusters, summary } = clusterQuestions(clusterable)
  const table: ScoreTable = {
    metric,
    questions: columns.questions.map((id, place) => ({ id, cluster: clusters[place]! })),
    approaches: columns.approaches,
    scores: columns.scores,
    lowerIsBetter: columns.lowerIsBetter,
  }
  const pairs = (columns.approaches.length * (columns.approaches.length - 1)) / 2
  const isLarge = (pairs + columns.approaches.length) * summary.clusters * RESAMPLES * 3 > MOST_WORK
  const options = { seed: SEED, resamples: RESAMPLES, ...(isLarge ? { method: 'student' as const } : {}) }
  const [comparison] = await compareInWorker([table], options, { signal: source.signal })
  return { revision: columns.revision, comparison: comparison as MetricComparison, clusters: summary }
}

/** By question each column's mean over the question's answers, as a report has it; NaN where none has a value. */
function meansByQuestion(rows: readonly MatrixPageRow[], columns: number): Map<string, number[]> {
  const byQuestion = Map.groupBy(rows, ({ question_id }) => question_id)
  return new Map(
    [...byQuestion].map(([id, answers]) => [
      id,
      Array.from({ length: columns }, (_, column) => {
        const values = answers.flatMap(({ cells }) => cells[column]?.value ?? [])
        return values.reduce((sum, value) => sum + value, 0) / values.length
      }),
    ]),
  )
}

/** Every two aliases of a dataset run in one metric. Rejects with `input_invalid` when fewer than two are there. */
export async function pairsOfAliases(source: StatisticsSource, input: PairsInput): Promise<PairedStatistics> {
  const { rows, aliases, revision } = await wholeMatrix(source.index, input)
  if (aliases.length < 2) throw new ControlFailure('input_invalid', 'a comparison needs two aliases that the run has')
  const means = meansByQuestion(rows, aliases.length)
  return compared(source, input.metric, input.dataset_id, {
    revision,
    questions: [...means.keys()],
    approaches: aliases,
    scores: Float64Array.from([...means.values()].flat()),
    lowerIsBetter: metricOfId(input.metric).better === 'lower',
  })
}

/** One alias in several runs, over all questions that any of them has. */
export async function pairsOfRuns(source: StatisticsSource, input: RunPairsInput): Promise<PairedStatistics> {
  const { dataset_id, metric, alias } = input
  const runIds = [...new Set(input.run_ids)]
  if (runIds.length < 2) throw new ControlFailure('input_invalid', 'a comparison needs two runs')
  const byQuestion = new Map<string, number[]>()
  let revision = 0
  for (const [place, run_id] of runIds.entries()) {
    const matrix = await wholeMatrix(source.index, { run_id, dataset_id, metric, aliases: [alias] })
    revision = matrix.revision
    for (const [id, [mean = NaN]] of meansByQuestion(matrix.rows, 1)) {
      const values = byQuestion.get(id) ?? runIds.map(() => NaN)
      byQuestion.set(id, values)
      values[place] = mean
    }
  }
  return compared(source, metric, dataset_id, {
    revision,
    questions: [...byQuestion.keys()],
    approaches: runIds,
    scores: Float64Array.from([...byQuestion.values()].flat()),
    lowerIsBetter: metricOfId(metric).better === 'lower',
  })
}
