import type { EvaluationMetric } from '../../../contract/common.ts'
import type { ComparedMetric, Comparisons, MetricClass } from '../../../contract/evidence/aggregate.ts'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { artifactNameOf, metricOfId, OPERATIONAL_METRICS, type MetricId } from '../../../contract/metrics/metrics.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import { mean, roundedDeep } from '../../lib/text/numbers.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { compareTables } from '../../statistics/compare-pairs.ts'
import { compareInWorker } from '../../statistics/thread/run-in-worker.ts'
import type { ScoreTable } from '../../statistics/score-table.ts'
import { varianceComponents } from '../../statistics/variance-components.ts'
import type { ApproachTally } from './approach-tally.ts'
import type { Column } from './column.ts'
import { gradesOf } from './judge-section.ts'
import { METRICS_OF, type ScoreMetric } from './metric-outcome.ts'

interface ComparisonSource {
  /** Of the run: names the random streams. */
  seed: string
  /** In the order of the artifact; `index` is their position in the tallies. */
  questions: readonly { index: number; id: string; gold: readonly GoldEvidence[] }[]
  repeats: number
  requested: readonly EvaluationMetric[]
  approaches: readonly ApproachTally[]
  /** Share of the error that this look may spend; looks.ts explains it. */
  alphaShare?: number
  /** Largest difference that counts as none, as a share of the scale; a tenth unless given. */
  equivalenceMargin?: number | undefined
  /** Null when no judge section can be made of them. */
  judgments: Judgments | null
}

/** States how many additions resampling may take at once, in about 20 ms; and at all, in a few seconds of two threads. */
interface WorkLimits {
  atOnce: number
  most: number
}

const LIMITS: WorkLimits = { atOnce: 1e7, most: 3e9 }
const RESAMPLES = 10_000

/** One metric with all its scores. */
interface Measured {
  metricClass: MetricClass
  table: ScoreTable
  /** Values of one approach: by question, then repetition, then judge; null where there is one value per question. */
  repeated: { repeats: number; judges: number; valuesOf: (approach: number) => Float64Array } | null
}

/**
 * Every metric that any alias is scored on: intervals, pairs, and parts of the variance. A pure function of rows, selection, judgments and
 * seed, wherever it is computed. Runs that would take more than a few seconds to resample (about a hundred thousand cells, or nineteen aliases with gaps
 * on hundreds of questions) are compared in closed form, and their settings record it.
 */
export async function comparisonsOf(source: ComparisonSource, limits: WorkLimits = LIMITS): Promise<Comparisons> {
  const { clusters, cutPerKept, summary } = clusterQuestions(source.questions.map(clusterable))
  // One list for all tables: a thread is then sent one.
  const head: Head = {
    questions: source.questions.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
    approaches: source.approaches.map(({ alias }) => alias.model),
    cutPerKept,
  }
  const measured = [...scoreTables(source, head), ...judgeTable(source, head), ...operationalTables(source, head)]
  const scored = measured.filter(({ table }) => table.scores.some((score) => !Number.isNaN(score)))
  const tables = scored.map(({ table }) => table)
  const work = tables.reduce((sum, table) => sum + additionsFor(table, summary.clusters), 0)
  const { seed, alphaShare = 1, equivalenceMargin: margin } = source
  const options = {
    seed,
    resamples: RESAMPLES,
    alphaShare,
    ...(margin === undefined ? {} : { equivalenceMargin: margin }),
  }
  const results =
    work > limits.most
      ? await compareInWorker(tables, { ...options, method: 'student' })
      : work > limits.atOnce
        ? await compareInWorker(tables, options)
        : compareTables(tables, options)
  const metrics = scored.map(({ metricClass, repeated }, index): ComparedMetric => ({
    metric_class: metricClass,
    ...(metricClass === 'operational' ? withoutCensoredWins(results[index]!, source) : results[index]!),
    variance: repeated === null ? null : varianceOf(source, repeated),
  }))
  return roundedDeep({ clusters: summary, metrics })
}

/**
 * Latencies of an approach that failed cells are of its other, perhaps quicker cells: it is not decided faster by them. What is decided against it
 * stays.
 */
function withoutCensoredWins(compared: MetricComparison, { approaches }: ComparisonSource): MetricComparison {
  const failing = new Set(approaches.flatMap(({ alias, failed }) => (failed > 0 ? [alias.model] : [])))
  const pairs = compared.pairs.map((pair) => {
    const faster = pair.decision === 'better' ? pair.a : pair.decision === 'worse' ? pair.b : null
    return faster !== null && failing.has(faster) ? { ...pair, decision: 'undecided' as const } : pair
  })
  const decided = pairs.filter(({ decision }) => decision !== 'undecided').length
  return { ...compared, pairs, decided: { ...compared.decided, decided } }
}

type Head = Pick<ScoreTable, 'questions' | 'approaches' | 'cutPerKept'>

/** Scores of all questions, row by row. */
function scoresOf(
  { questions, approaches }: ComparisonSource,
  columnOf: (approach: ApproachTally) => Column,
): Float64Array {
  const scores = new Float64Array(questions.length * approaches.length)
  for (const [position, approach] of approaches.entries()) {
    const column = columnOf(approach)
    for (let row = 0; row < questions.length; row += 1)
      scores[row * approaches.length + position] = column.meanAt(questions[row]!.index)
  }
  return scores
}

const repeatedIn = (
  { questions, approaches, repeats }: ComparisonSource,
  columnOf: (approach: ApproachTally) => Column,
): Measured['repeated'] => {
  if (repeats === 1) return null
  const rounds = Array.from({ length: repeats }, (_, round) => round + 1)
  const valuesOf = (approach: number): Float64Array => {
    const column = columnOf(approaches[approach]!)
    return Float64Array.from(questions.flatMap(({ index }) => rounds.map((repeat) => column.at(index, repeat))))
  }
  return { repeats, judges: 1, valuesOf }
}

function scoreTables(source: ComparisonSource, head: Head): Measured[] {
  const ofClass = (metricClass: MetricClass, metrics: readonly ScoreMetric[]): Measured[] =>
    metrics.map((metric) => {
      const columnOf = (approach: ApproachTally): Column => approach.scores[metric].scores
      const table = { metric, ...head, scores: scoresOf(source, columnOf), ...shapeOf(metric) }
      return { metricClass, table, repeated: repeatedIn(source, columnOf) }
    })
  return [
    ...ofClass('ragas', source.requested),
    ...ofClass('retrieval', METRICS_OF.retrieval),
    ...ofClass('answer', METRICS_OF.answer),
  ]
}

/** Range and direction of a metric, as the statistics take them. */
function shapeOf(id: MetricId): Pick<ScoreTable, 'range' | 'lowerIsBetter' | 'hasRatios'> {
  const { range, better, unit } = metricOfId(id)
  const [least, greatest] = range
  return {
    ...(greatest === null ? {} : { range: [least, greatest] as const }),
    ...(better === 'lower' ? { lowerIsBetter: true } : {}),
    ...(unit === 'duration' ? { hasRatios: true } : {}),
  }
}

const operationalTables = (source: ComparisonSource, head: Head): Measured[] =>
  OPERATIONAL_METRICS.map((metric) => {
    const columnOf = (approach: ApproachTally): Column => approach.operational(metric)
    const table = { metric, ...head, scores: scoresOf(source, columnOf), ...shapeOf(metric) }
    return { metricClass: 'operational', table, repeated: repeatedIn(source, columnOf) }
  })

/** Judges grade one answer per question, so that their repetitions are the judges themselves. */
function judgeTable(source: ComparisonSource, head: Head): Measured[] {
  const { judgments, questions } = source
  if (judgments === null) return []
  const queries = new Map(judgments.queries.map((query) => [query.query_id, query]))
  const grades = questions.map(({ id }) => {
    const query = queries.get(id)
    return head.approaches.map((model) => (query === undefined ? new Map<string, number>() : gradesOf(query, model)))
  })
  const judges = judgments.judges.toSorted()
  const valuesOf = (approach: number): Float64Array =>
    Float64Array.from(grades.flatMap((row) => judges.map((judge) => row[approach]!.get(judge) ?? Number.NaN)))
  return [
    {
      metricClass: 'judge_panel',
      table: {
        metric: artifactNameOf(judgeMean),
        ...head,
        scores: Float64Array.from(grades.flatMap((row) => row.map((given) => mean([...given.values()]) ?? Number.NaN))),
        ...shapeOf(judgeMean.id),
      },
      repeated: judges.length > 1 ? { repeats: 1, judges: judges.length, valuesOf } : null,
    },
  ]
}

const varianceOf = (
  { questions, approaches }: ComparisonSource,
  { repeats, judges, valuesOf }: NonNullable<Measured['repeated']>,
): ComparedMetric['variance'] =>
  approaches.map(({ alias }, approach) => ({
    model: alias.model,
    components: varianceComponents({ questions: questions.length, repeats, judges, values: valuesOf(approach) }),
  }))

/** Returns what resampling adds up: a column per approach, or, where approaches are scored on different questions, two per pair besides. */
function additionsFor({ questions, approaches, scores }: ScoreTable, clusters: number): number {
  const width = approaches.length
  const isScored = (row: number, approach: number): boolean => !Number.isNaN(scores[row * width + approach]!)
  const rows = Array.from(questions.keys())
  const scoring = Array.from(approaches.keys()).filter((approach) => rows.some((row) => isScored(row, approach)))
  const isComplete = rows.every((row) => {
    const count = scoring.filter((approach) => isScored(row, approach)).length
    return count === 0 || count === scoring.length
  })
  const pairs = (scoring.length * (scoring.length - 1)) / 2
  return (scoring.length + (isComplete ? 1 : 2 * pairs)) * clusters * RESAMPLES
}
