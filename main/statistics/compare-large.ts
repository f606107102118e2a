import type { Estimate, MetricComparison, PairComparison } from '../../contract/evidence/statistics.ts'
import { ofLook } from './planning/looks.ts'
import type { ComparisonOptions } from './options.ts'
import { type ClusterStatistic, estimateFrom } from './estimate.ts'
import { equivalencesOf } from './equivalence.ts'
import { spreadOf, type UnseenDifferences } from './interval.ts'
import { withDefaults } from './options.ts'
import {
  agreeing,
  canBeDecided,
  decide,
  holmAdjusted,
  movingClusters,
  overPairs,
  pairValue,
  smallestDetectable,
} from './pair-decision.ts'
import { assertScoreTable, type ScoreTable } from './score-table.ts'
import { clusterIndexes } from './table-columns.ts'

const DIFFERENCE_METHOD = 'adjusted_student'

/**
 * The same comparison without columns that pairs share, and with closed forms for means without a scale too: for runs whose resampling would take seconds. Throws `bad_input` for a table that does not fit together.
 */
export function compareWithoutResampling(table: ScoreTable, options: ComparisonOptions): MetricComparison {
  assertScoreTable(table)
  const { seed, level } = withDefaults(options)
  const tieTolerance = options.tieTolerance ?? 1e-9
  const look = ofLook(level, options.alphaShare)
  const lowerIsBetter = table.lowerIsBetter === true
  const columns = columnsOf(table)
  const clusters = clustered(clusterIndexes(table), table, options)

  const compared = columns.flatMap((one, a) =>
    columns.slice(a + 1).map((other, offset) => {
      const { n, differences, higher, lower } = pairOf(one, other, tieTolerance)
      const isConstant = n > 0 && [one, other].some((column) => isSame(column, differences))
      const { difference, unseen, moving } = clusters.differenceOf(differences, isConstant, look.level)
      const p = look.corrected(pairValue(difference, unseen, moving))
      return { a, b: a + 1 + offset, n, difference, unseen, moving, higher, lower, p }
    }),
  )
  const adjusted = holmAdjusted(compared.map(({ p }) => p))
  const equivalences = equivalencesOf(compared, level, options)
  const comparable = compared.filter(({ n }) => n > 0).length
  const pairs = compared.map(({ a, b, n, difference: own, moving, higher, lower, p }, index): PairComparison => {
    const corrected = adjusted[index] ?? null
    const difference = agreeing(own, p, level)
    const decision = corrected === null ? 'undecided' : decide(difference, corrected, level, lowerIsBetter)
    const isWithinReach = decision !== 'undecided' || canBeDecided(moving, look.level, comparable)
    const [wins, losses] = lowerIsBetter ? [lower, higher] : [higher, lower]
    return {
      a: table.approaches[a]!,
      b: table.approaches[b]!,
      difference,
      p,
      p_adjusted: corrected,
      decision,
      wins,
      ties: n - wins - losses,
      losses,
      smallest_detectable: isWithinReach ? smallestDetectable(own, look.level, Math.max(1, comparable)) : null,
      equivalence: equivalences[index]!,
    }
  })
  const scoring = columns.filter((column) => column.some((score) => !Number.isNaN(score)))
  const isCommon = table.questions.map((_, row) => scoring.every((column) => !Number.isNaN(column[row]!)))
  const isUnequal = scoring.some((column) => column.some((score, row) => !Number.isNaN(score) && !isCommon[row]!))
  return {
    metric: table.metric,
    better: lowerIsBetter ? 'lower' : 'higher',
    settings: {
      seed,
      level,
      mean_interval: meanMethodOf(table.range),
      difference_interval: DIFFERENCE_METHOD,
      resamples: 0,
      flips: 0,
      tie_tolerance: tieTolerance,
    },
    questions: table.questions.length,
    approaches: columns.map((column, approach) => ({
      model: table.approaches[approach]!,
      mean: clusters.meanOf(column),
      common:
        isUnequal && scoring.includes(column)
          ? clusters.meanOf(column.map((score, row) => (isCommon[row]! ? score : Number.NaN)))
          : null,
    })),
    unequal_coverage: isUnequal,
    pairs,
    decided: { decided: pairs.filter(({ decision }) => decision !== 'undecided').length, comparable },
    smallest_detectable: overPairs(pairs.map((pair) => pair.smallest_detectable)),
  }
}

/** p-value of a pair from its differences by question: the test that decides about it, for plans. Null where nothing could be tested. */
export function testDifferences(
  clusters: Int32Array,
  differences: Float64Array,
  { range, cutPerKept, level }: Pick<ScoreTable, 'range' | 'cutPerKept'> & { level: number },
): number | null {
  const shape = { ...(range === undefined ? {} : { range }), ...(cutPerKept === undefined ? {} : { cutPerKept }) }
  const tested = clustered(clusters, shape, { seed: '', level }).differenceOf(differences, false, level)
  return pairValue(tested.difference, tested.unseen, tested.moving)
}

const columnsOf = ({ approaches, questions, scores }: ScoreTable): Float64Array[] =>
  approaches.map((_, approach) => {
    const column = new Float64Array(questions.length)
    for (let row = 0; row < column.length; row += 1) column[row] = scores[row * approaches.length + approach]!
    return column
  })

/** Differences of two approaches by question, NaN where one has no score; how many there are, and how many are on either side of a tie. */
function pairOf(one: Float64Array, other: Float64Array, tolerance: number) {
  const differences = new Float64Array(one.length)
  let n = 0
  let higher = 0
  let lower = 0
  for (let row = 0; row < one.length; row += 1) {
    const difference = one[row]! - other[row]!
    differences[row] = difference
    if (Number.isNaN(difference)) continue
    n += 1
    if (difference > tolerance) higher += 1
    else if (difference < -tolerance) lower += 1
  }
  return { n, differences, higher, lower }
}

/** Returns true when a column has one score for all questions that count. */
function isSame(column: Float64Array, counted: Float64Array): boolean {
  const first = column.find((_, row) => !Number.isNaN(counted[row]!))
  return column.every((score, row) => Number.isNaN(counted[row]!) || score === first)
}

const meanMethodOf = (range: ScoreTable['range']): 'wilson' | 'student' => (range === undefined ? 'student' : 'wilson')

/** Means over questions in clusters, with the error that the clusters leave. */
function clustered(
  indexes: Int32Array,
  { range, cutPerKept: perKept = 0 }: Pick<ScoreTable, 'range' | 'cutPerKept'>,
  options: ComparisonOptions,
) {
  const clusters = indexes.reduce((most, index) => Math.max(most, index + 1), 0)
  const of = (totals: Float64Array): number => totals[0]! / totals[1]!
  function sumsOf(values: Float64Array) {
    const sums = new Float64Array(clusters)
    const weights = new Float64Array(clusters)
    let n = 0
    for (let row = 0; row < values.length; row += 1) {
      if (Number.isNaN(values[row]!)) continue
      sums[indexes[row]!]! += values[row]!
      weights[indexes[row]!]! += 1
      n += 1
    }
    return { columns: [sums, weights] as const, weights, n, of }
  }
  const estimate = (statistic: ClusterStatistic, level = options.level): Estimate =>
    estimateFrom(statistic, () => new Float64Array(), {
      ...options,
      method: statistic.method,
      ...(level === undefined ? {} : { level }),
    })
  return {
    meanOf: (values: Float64Array): Estimate =>
      estimate({
        ...sumsOf(values),
        method: meanMethodOf(range),
        cut: { perKept, variance: spreadOf(values).variance },
        ...(range === undefined ? {} : { range }),
      }),
    differenceOf(values: Float64Array, isConstant: boolean, level: number) {
      const summed = sumsOf(values)
      const most = range === undefined ? null : range[1] - range[0]
      const unseen: UnseenDifferences = { ...spreadOf(values), isConstant, most }
      const cut = { perKept, variance: unseen.variance }
      return {
        unseen,
        moving: movingClusters(summed.columns[0], null),
        difference: estimate({ ...summed, method: DIFFERENCE_METHOD, unseen, cut }, level),
      }
    },
  }
}
