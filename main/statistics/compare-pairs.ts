// The statistics decide whether a difference is more than chance. In: a table of scores, questions by approaches (score-table.ts), with the cluster of each
// question, as clusters.ts finds it by shared gold passages. Out: an estimate with its interval for each approach, and a decision for each pair.
//   1. table-columns.ts lays the table out as sums per cluster, because questions about one document are not independent.
//   2. estimate.ts estimates a mean, and interval.ts its interval; resample.ts and random.ts draw the seeded resamples where a formula will not do.
//   3. This file compares the pairs on the questions that both have; pair-decision.ts corrects by Holm and decides.
//   4. equivalence.ts tests whether two are equal within a margin. log-scale.ts compares times by their ratio.
//   5. planning/looks.ts corrects for looks at an unfinished run; planning/planned-difference.ts computes before a run what it can decide.
// agreement/ measures how far judges agree. thread/run-in-worker.ts runs all of it off the event loop. distributions.ts has the formulas and their errors.
import type { ComparisonOptions } from './options.ts'
import type { Estimate, MetricComparison, PairComparison } from '../../contract/evidence/statistics.ts'
import { compareWithoutResampling } from './compare-large.ts'
import { equivalencesOf } from './equivalence.ts'
import { type ClusterStatistic, estimateFrom, total } from './estimate.ts'
import { spreadOf, type UnseenDifferences } from './interval.ts'
import { isOnLogScale, loggedTable, withRatios } from './log-scale.ts'
import { ofLook } from './planning/looks.ts'
import { type IntervalMethod, withDefaults } from './options.ts'
import {
  agreeing,
  canBeDecided,
  decide,
  differenceOfSums,
  holmAdjusted,
  movingClusters,
  outcomesOf,
  overPairs,
  pairValue,
  smallestDetectable,
} from './pair-decision.ts'
import { resampleSums } from './resample.ts'
import { assertScoreTable, type ScoreTable } from './score-table.ts'
import {
  clusterIndexes,
  layOut,
  type PairColumns,
  type Ratio,
  sharedColumns,
  type TableColumns,
} from './table-columns.ts'

// interval.ts explains why they differ.
const DIFFERENCE_METHOD = 'adjusted_student'
const meanMethodOf = ({ range }: ScoreTable): 'wilson' | 'bca' => (range === undefined ? 'bca' : 'wilson')

/**
 * Compares every two approaches of one metric on the questions that both have: mean difference with its interval, the p-value of the same t,
 * Holm's correction over the pairs. A pair is decided when its corrected p is at most 1 − level; its own interval then excludes 0.
 * Deterministic in table and options. Throws `bad_input` for a table that does not fit together.
 */
export const comparePairs = (table: ScoreTable, options: ComparisonOptions): MetricComparison =>
  compareTables([table], options)[0]!

/**
 * The same for several metrics; those over the same clusters share one pass of resampling. The results do not depend on the company. With
 * `method: 'student'` nothing is resampled.
 */
export function compareTables(tables: readonly ScoreTable[], options: ComparisonOptions): MetricComparison[] {
  return comparedOnTheirScale(tables, options).map((compared, index) => {
    const table = tables[index]!
    if (!isOnLogScale(table)) return compared
    return withRatios(table, compared, compareWithoutResampling(loggedTable(table), options))
  })
}

function comparedOnTheirScale(tables: readonly ScoreTable[], options: ComparisonOptions): MetricComparison[] {
  if (options.method === 'student') return tables.map((table) => compareWithoutResampling(table, options))
  const { seed, resamples } = withDefaults(options)
  tables.forEach(assertScoreTable)
  const results: MetricComparison[] = []
  for (const members of Map.groupBy(tables.keys(), (index) => clusterIndexes(tables[index]!).join()).values()) {
    const shared = sharedColumns(clusterIndexes(tables[members[0]!]!))
    const layouts = members.map((index) => layOut(tables[index]!, `table ${index}`, shared))
    // Made when the first interval needs it: bounded scores need none.
    let sums: readonly Float64Array[] | null = null
    const resampled = (): readonly Float64Array[] =>
      (sums ??= resampleSums(shared.columns, shared.clusters, resamples, `${seed}/bootstrap`))
    for (const [at, index] of members.entries())
      results[index] = comparisonOf(tables[index]!, layouts[at]!, resampled, options)
  }
  return results
}

function comparisonOf(
  table: ScoreTable,
  layout: TableColumns,
  sums: () => readonly Float64Array[],
  options: ComparisonOptions,
): MetricComparison {
  const { seed, resamples, level } = withDefaults(options)
  const tieTolerance = options.tieTolerance ?? 1e-9
  const comparable = layout.pairs.filter(({ shared }) => shared.length > 0)
  const meanMethod = meanMethodOf(table)
  const look = ofLook(level, options.alphaShare)
  const estimate = (ratio: Ratio, method: IntervalMethod, known: Known, at = level): Estimate =>
    estimateFrom({ ...ratioStatistic(layout, ratio, method), ...known }, () => ratioReplicates(sums(), ratio), {
      ...options,
      level: at,
    })
  const perKept = table.cutPerKept ?? 0
  const meanOf = (ratio: Ratio, variance: number): Estimate =>
    estimate(ratio, meanMethod, {
      cut: { perKept, variance },
      ...(table.range === undefined ? {} : { range: table.range }),
    })

  const tests = layout.pairs.map((pair) => {
    const unseen = unseenIn(table, pair)
    const cut = { perKept, variance: unseen.variance }
    const difference = estimate(pair.ratio, DIFFERENCE_METHOD, { unseen, cut }, look.level)
    const { plus, minus } = pair.ratio
    const moving = movingClusters(layout.columns[plus]!, minus === null ? null : layout.columns[minus]!)
    return { unseen, difference, moving, p: look.corrected(pairValue(difference, unseen, moving)) }
  })
  const adjusted = holmAdjusted(tests.map(({ p }) => p))
  const equivalences = equivalencesOf(tests, level, options)
  const pairs = layout.pairs.map((pair, at): PairComparison => {
    const { p, moving } = tests[at]!
    const corrected = adjusted[at]!
    const difference = agreeing(tests[at]!.difference, p, level)
    const decision = decide(difference, corrected, level, table.lowerIsBetter === true)
    // A pair that no outcome of this run could have decided has no smallest difference that it could see.
    const isWithinReach = decision !== 'undecided' || canBeDecided(moving, look.level, comparable.length)
    return {
      a: table.approaches[pair.a]!,
      b: table.approaches[pair.b]!,
      difference,
      p,
      p_adjusted: corrected,
      decision,
      ...outcomesOf(table, pair, tieTolerance),
      smallest_detectable: isWithinReach
        ? smallestDetectable(tests[at]!.difference, look.level, Math.max(1, comparable.length))
        : null,
      equivalence: equivalences[at]!,
    }
  })
  const variances = table.approaches.map((_, approach) => spreadOf(scoresOf(table, approach)).variance)
  const commonMeans = layout.commonMeans.map((ratio, at) => (ratio === null ? null : meanOf(ratio, variances[at]!)))
  return {
    metric: table.metric,
    better: table.lowerIsBetter === true ? 'lower' : 'higher',
    settings: {
      seed,
      level,
      mean_interval: options.method ?? meanMethod,
      difference_interval: options.method ?? DIFFERENCE_METHOD,
      resamples,
      flips: 0,
      tie_tolerance: tieTolerance,
    },
    questions: table.questions.length,
    approaches: table.approaches.map((model, index) => ({
      model,
      mean: meanOf(layout.means[index]!, variances[index]!),
      common: commonMeans[index]!,
    })),
    unequal_coverage: commonMeans.some((common) => common !== null),
    pairs,
    decided: {
      decided: pairs.filter(({ decision }) => decision !== 'undecided').length,
      comparable: comparable.length,
    },
    smallest_detectable: overPairs(pairs.map((pair) => pair.smallest_detectable)),
  }
}

type Known = Pick<ClusterStatistic, 'range' | 'unseen' | 'cut'>

const scoresOf = ({ approaches, scores }: ScoreTable, approach: number): Float64Array =>
  scores.filter((_, cell) => cell % approaches.length === approach)

function unseenIn(table: ScoreTable, { a, b, shared }: PairColumns): UnseenDifferences {
  const width = table.approaches.length
  const differences = shared.map((row) => table.scores[row * width + a]! - table.scores[row * width + b]!)
  const isConstant = [a, b].some((side) =>
    shared.every((row) => table.scores[row * width + side] === table.scores[shared[0]! * width + side]),
  )
  return {
    ...spreadOf(differences),
    isConstant,
    most: table.range === undefined ? null : table.range[1] - table.range[0],
  }
}

/** A ratio as a statistic of two or three column sums; its clusters weigh as many questions as they hold. */
function ratioStatistic(layout: TableColumns, { plus, minus, over }: Ratio, method: IntervalMethod): ClusterStatistic {
  const weights = layout.columns[over]!
  const columns = [layout.columns[plus]!, weights, ...(minus === null ? [] : [layout.columns[minus]!])]
  const n = total(weights)
  return {
    method,
    columns,
    weights,
    n,
    of: minus === null ? (sums) => sums[0]! / sums[1]! : (sums) => differenceOfSums(sums[0]!, sums[2]!) / sums[1]!,
  }
}

function ratioReplicates(sums: readonly Float64Array[], { plus, minus, over }: Ratio): Float64Array {
  const values = Float64Array.from(sums[plus]!)
  const [down, divisor] = [minus === null ? null : sums[minus]!, sums[over]!]
  for (let resample = 0; resample < values.length; resample += 1)
    values[resample] = (values[resample]! - (down === null ? 0 : down[resample]!)) / divisor[resample]!
  return values
}
