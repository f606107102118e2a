import type { Estimate, MetricComparison, PairComparison } from '../../contract/index.ts'
import { compareWithoutResampling } from './compare-large.ts'
import { type ClusterStatistic, estimateFrom, total } from './estimate.ts'
import type { UnseenDifferences } from './interval.ts'
import { type IntervalMethod, type IntervalOptions, withDefaults } from './options.ts'
import {
  canBeDecided,
  decide,
  holmAdjusted,
  neededFor,
  outcomesOf,
  overPairs,
  smallestDetectable,
} from './pair-decision.ts'
import { resampleSums } from './resample.ts'
import { assertScoreTable, type ScoreTable } from './score-table.ts'
import { movingClusters, signFlipValues } from './sign-flip.ts'
import {
  clusterIndexes,
  layOut,
  type PairColumns,
  type Ratio,
  sharedColumns,
  type TableColumns,
} from './table-columns.ts'

export interface ComparisonOptions extends IntervalOptions {
  /** Scores that differ by no more are a tie; 1e-9, which only forgives rounding. */
  tieTolerance?: number
}

// interval.ts explains why they differ.
const DIFFERENCE_METHOD = 'adjusted_student'
const meanMethodOf = ({ range }: ScoreTable): 'wilson' | 'bca' => (range === undefined ? 'bca' : 'wilson')

/** With fewer flips than this many per pair and α, Holm's first step could not be distinguished from chance, however clear the data. */
const FLIPS_PER_STEP = 4

/**
 * Compares every two approaches of one metric on the questions that both have: mean difference with cluster-bootstrap interval, p-value by
 * sign flips, Holm's correction over the pairs. A pair is decided when its corrected p is at most 1 − level and its own interval
 * excludes 0: asking for both can only lower the chance of a false decision, and no decision contradicts its interval.
 * Deterministic in table and options. Throws `bad_input` for a table that does not fit together.
 */
export const comparePairs = (table: ScoreTable, options: ComparisonOptions): MetricComparison =>
  compareTables([table], options)[0]!

/**
 * The same for several metrics; those over the same clusters share one pass of resampling. The results do not depend on the company. With
 * `method: 'student'` nothing is resampled.
 */
export function compareTables(tables: readonly ScoreTable[], options: ComparisonOptions): MetricComparison[] {
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
  const flips = Math.max(resamples, Math.ceil((FLIPS_PER_STEP * comparable.length) / (1 - level)))
  const meanMethod = meanMethodOf(table)
  const estimate = (ratio: Ratio, method: IntervalMethod, known: Known): Estimate =>
    estimateFrom({ ...ratioStatistic(layout, ratio, method), ...known }, () => ratioReplicates(sums(), ratio), options)
  const meanOf = (ratio: Ratio): Estimate =>
    estimate(ratio, meanMethod, table.range === undefined ? {} : { range: table.range })

  const values = signFlipValues(
    layout.columns,
    comparable.map(({ ratio }) => ratio),
    flips,
    `${seed}/flips`,
  )
  const adjusted = holmAdjusted(values)
  const tested = new Map(comparable.map((pair, at) => [pair, { p: values[at]!, adjusted: adjusted[at]! }]))
  const pairs = layout.pairs.map((pair): PairComparison => {
    const difference = estimate(pair.ratio, DIFFERENCE_METHOD, { unseen: unseenIn(table, layout, pair) })
    const test = tested.get(pair)
    const decision =
      test === undefined ? 'undecided' : decide(difference, test.adjusted, level, table.lowerIsBetter === true)
    // What no outcome of this run could have decided has no smallest difference that it could see.
    const isWithinReach =
      decision !== 'undecided' || canBeDecided(movingClusters(layout.columns, pair.ratio), level, comparable.length)
    return {
      a: table.approaches[pair.a]!,
      b: table.approaches[pair.b]!,
      difference,
      p: test?.p ?? null,
      p_adjusted: test?.adjusted ?? null,
      decision,
      ...outcomesOf(table, pair, tieTolerance),
      smallest_detectable: isWithinReach ? smallestDetectable(difference, level, Math.max(1, comparable.length)) : null,
    }
  })
  const commonMeans = layout.commonMeans.map((ratio) => (ratio === null ? null : meanOf(ratio)))
  return {
    metric: table.metric,
    better: table.lowerIsBetter === true ? 'lower' : 'higher',
    settings: {
      seed,
      level,
      mean_interval: options.method ?? meanMethod,
      difference_interval: options.method ?? DIFFERENCE_METHOD,
      resamples,
      flips,
      tie_tolerance: tieTolerance,
    },
    questions: table.questions.length,
    approaches: table.approaches.map((model, index) => ({
      model,
      mean: meanOf(layout.means[index]!),
      common: commonMeans[index]!,
    })),
    unequal_coverage: commonMeans.some((common) => common !== null),
    pairs,
    decided: {
      decided: pairs.filter(({ decision }) => decision !== 'undecided').length,
      comparable: comparable.length,
    },
    smallest_detectable: overPairs(pairs.map((pair) => pair.smallest_detectable)),
    questions_needed: neededFor(pairs, table.range),
  }
}

type Known = Pick<ClusterStatistic, 'range' | 'unseen'>

function unseenIn(table: ScoreTable, layout: TableColumns, { a, b, ratio, shared }: PairColumns): UnseenDifferences {
  const { plus, minus, over } = ratio
  let largest = 0
  for (const [cluster, count] of layout.columns[over]!.entries()) {
    if (count === 0) continue
    const difference = layout.columns[plus]![cluster]! - (minus === null ? 0 : layout.columns[minus]![cluster]!)
    largest = Math.max(largest, Math.abs(difference / count))
  }
  const width = table.approaches.length
  const isConstant = [a, b].some((side) =>
    shared.every((row) => table.scores[row * width + side] === table.scores[shared[0]! * width + side]),
  )
  return { largest, isConstant, most: table.range === undefined ? null : table.range[1] - table.range[0] }
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
    of: minus === null ? (sums) => sums[0]! / sums[1]! : (sums) => difference(sums[0]!, sums[2]!) / sums[1]!,
  }
}

/** Equal sums that were added up in another order differ in their last bits: that is no difference. */
function difference(plus: number, minus: number): number {
  const between = plus - minus
  return Math.abs(between) <= 1e-13 * Math.max(Math.abs(plus), Math.abs(minus)) ? 0 : between
}

function ratioReplicates(sums: readonly Float64Array[], { plus, minus, over }: Ratio): Float64Array {
  const values = Float64Array.from(sums[plus]!)
  const [down, divisor] = [minus === null ? null : sums[minus]!, sums[over]!]
  for (let resample = 0; resample < values.length; resample += 1)
    values[resample] = (values[resample]! - (down === null ? 0 : down[resample]!)) / divisor[resample]!
  return values
}
