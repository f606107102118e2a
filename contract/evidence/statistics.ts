import { z } from 'zod'
import { count } from '../common.ts'

const probability = z.number().min(0).max(1)
const approach = z.string().min(1)

/** Both ends of a confidence interval, in the unit of the value it belongs to. */
export const ConfidenceInterval = z.strictObject({ low: z.number(), high: z.number() })
export type ConfidenceInterval = z.infer<typeof ConfidenceInterval>

/**
 * A value that was estimated from questions in clusters; null when nothing was scored or it is not defined. `no_interval` gives the reason for
 * that: no_data; not_defined (a correlation of constants); too_few_clusters (below 8); no_variation, where all clusters agree, so
 * that resampling them shows nothing.
 */
export const Estimate = z.strictObject({
  value: z.number().nullable(),
  /** Observations that the value rests on. */
  n: count,
  /** Independent groups that they fall into. */
  clusters: count,
  /** Effective number of clusters: as many equal ones carry the same information, n² / Σ nᵍ², less where links between them were cut; null when nothing was scored. */
  effective_clusters: z.number().nullable(),
  /** Cluster-robust standard error (jackknife over clusters); null without an interval. */
  se: z.number().min(0).nullable(),
  interval: ConfidenceInterval.nullable(),
  no_interval: z.enum(['no_data', 'not_defined', 'too_few_clusters', 'no_variation']).nullable(),
})
export type Estimate = z.infer<typeof Estimate>

/** Describes how questions were grouped into clusters that may depend on each other. */
export const ClusterSummary = z.strictObject({
  /**
   * question: no two questions share a gold document. gold_documents_split: links were cut so that no cluster is too large. gold_passages: on few
   * documents, questions that share a passage; intervals are then of new questions about these documents, not of other documents.
   */
  basis: z.enum(['question', 'gold_documents', 'gold_documents_split', 'gold_passages']),
  questions: count,
  clusters: count,
  /** Questions in the largest cluster. */
  largest: count,
  effective: z.number().nullable(),
  /** Pairs of questions that share a gold document and are still in different clusters. */
  links_cut: count,
  /** Gold documents, with gold_passages. */
  documents: count.optional(),
})
export type ClusterSummary = z.infer<typeof ClusterSummary>

/** States whether `a` is better or worse than `b` with all pairs of the metric in view; undecided is not evidence that they are equal. */
export const PairDecision = z.enum(['better', 'worse', 'undecided'])
export type PairDecision = z.infer<typeof PairDecision>

/**
 * States whether a pair's true difference is smaller than a margin, by two one-sided tests (Schuirmann 1987, Journal of Pharmacokinetics and
 * Biopharmaceutics 15:657-680). `low` and `high` are the interval of this pair alone at level 1 − 2α, which is within the margin exactly when both
 * tests reject at α. `equivalent` is corrected by Holm over the pairs of the metric, as decisions are. A pair has either a true difference
 * of 0 or one beyond the margin or neither, never both, so that testing for both costs no further correction.
 */
export const PairEquivalence = z.strictObject({
  /** Largest difference, of either sign, that counts as none; a tenth of the scale unless set. */
  margin: z.number().gt(0),
  low: z.number(),
  high: z.number(),
  /** Of the less clear one of the two tests; then after Holm's correction over the pairs of this metric. */
  p: probability,
  p_adjusted: probability,
  equivalent: z.boolean(),
})
export type PairEquivalence = z.infer<typeof PairEquivalence>

/** Two approaches on the questions that both have a score for. */
export const PairComparison = z.strictObject({
  a: approach,
  b: approach,
  /** Mean of a − b in the metric's unit. Its interval is of this pair alone; the decision is corrected for all pairs. */
  difference: Estimate,
  /** Of times: a over b, of geometric means, with its interval; absent in files of before and for everything else. */
  ratio: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).optional(),
  /** Two-sided, of the same t as the interval; null where nothing was tested, for want of common questions or of clusters. */
  p: probability.nullable(),
  /** After Holm's correction over the pairs of this metric. */
  p_adjusted: probability.nullable(),
  decision: PairDecision,
  /** Questions on which a is better, equal within the tolerance, worse. */
  wins: count,
  ties: count,
  losses: count,
  /**
   * True difference that would be decided with 80 % power; null without a standard error, and where the two differ in so few clusters that no
   * outcome could decide them.
   */
  smallest_detectable: z.number().min(0).nullable(),
  /** Null without an interval and for metrics without a scale; absent in older files, where it was not tested. */
  equivalence: PairEquivalence.nullable().optional(),
})
export type PairComparison = z.infer<typeof PairComparison>

/**
 * True when a pair was tested: it has common questions and an interval. Only then do its p-value and decision carry a sentence; without an interval
 * "undecided" is not a result, whatever the p-value.
 */
export const isTestedPair = ({ p, difference }: Pick<PairComparison, 'p' | 'difference'>): boolean =>
  p !== null && difference.interval !== null

const ApproachMean = z.strictObject({
  model: approach,
  mean: Estimate,
  /** With unequal coverage, over the questions that every scored approach has; else null. */
  common: Estimate.nullable(),
})

/**
 * log_student: adjusted_student of the logarithms of times; the interval of the ratio gives that of the difference. wilson: of a mean of bounded scores, on the effective sample size. adjusted_student: of a difference, Student's t with pseudo-observations of
 * both signs. bca and percentile resample; student is value ± t · cluster-robust error.
 */
const IntervalKind = z.enum(['bca', 'percentile', 'student', 'wilson', 'adjusted_student', 'log_student'])

/** One metric of one run: each approach alone and each pair. A pure function of scores, clusters and settings. */
export const MetricComparison = z.strictObject({
  metric: z.string().min(1),
  better: z.enum(['higher', 'lower']),
  settings: z.strictObject({
    seed: z.string(),
    /** Of the intervals and, family-wise, of the decisions. */
    level: z.number().gt(0).lt(1),
    /**
     * Kind of the interval around each approach's mean, and around each pair's difference. student: value ± t · cluster-robust error, for runs
     * that are too large to resample; p-values are then of the same t.
     */
    mean_interval: IntervalKind,
    difference_interval: IntervalKind,
    /** 0 with student. */
    resamples: count,
    /** Sign flips for each p-value in files of earlier versions; 0, since p-values are of the interval's own t. */
    flips: count,
    tie_tolerance: z.number().min(0),
  }),
  questions: count,
  approaches: z.array(ApproachMean),
  /** The approaches that have scores have them for different questions: their means do not compare, the pairs still do. */
  unequal_coverage: z.boolean(),
  pairs: z.array(PairComparison),
  /** `decided` of `comparable` pairs: those with a common question, tested or not. */
  decided: z.strictObject({ decided: count, comparable: count }),
  /** Over the pairs that have one; `largest` is the difference that any pair would show with 80 % power. */
  smallest_detectable: z.strictObject({ smallest: z.number(), median: z.number(), largest: z.number() }).nullable(),
  /** In files of earlier versions; plans are simulated before a run instead. */
  questions_needed: z.strictObject({ difference: z.number(), median: count, largest: count }).nullable().optional(),
})
export type MetricComparison = z.infer<typeof MetricComparison>

/** A part of the variance of scores; `clipped` when the estimate came out negative and is shown as 0. */
export const VarianceComponent = z.strictObject({
  variance: z.number().min(0),
  share: probability,
  clipped: z.boolean(),
})
export type VarianceComponent = z.infer<typeof VarianceComponent>

/** Describes where the variance of one approach's scores comes from. Null: the design cannot separate it; the next wider part then contains it. */
export const VarianceComponents = z.strictObject({
  questions: count,
  /** Questions left out because repeats or judges are missing. */
  dropped: count,
  /** Values per question and judge; their mean number where it differs between questions. */
  repeats: z.number().min(0),
  judges: count,
  /** Between questions. */
  question: VarianceComponent.nullable(),
  /** Between repeated answers to one question; contains the judge's noise where there is one judge. */
  generation: VarianceComponent.nullable(),
  /** Between judges in general: one is stricter than another. */
  judge_severity: VarianceComponent.nullable(),
  /** Judges differ about a question; contained in the residual without repeats. */
  judge_question: VarianceComponent.nullable(),
  /** Judges differ about a single answer. */
  residual: VarianceComponent.nullable(),
})
export type VarianceComponents = z.infer<typeof VarianceComponents>

/** Agreement between raters; 1 is perfect, 0 is chance. Null where it is not defined: no pair of ratings, or all ratings equal. */
export const Agreement = z.strictObject({
  statistic: z.enum(['krippendorff_alpha', 'cohen_kappa']),
  scale: z.enum(['nominal', 'ordinal', 'interval', 'linear', 'quadratic']),
  raters: count,
  estimate: Estimate,
})
export type Agreement = z.infer<typeof Agreement>

/** Describes how one judge's score moves with the place of an answer in the prompt. */
export const PositionEffect = z.strictObject({
  /**
   * within_answer: the same answer seen in several places. within_question: no rotations, so the answers of a question are compared, with
   * the general level of each approach removed. none: not estimable.
   */
  basis: z.enum(['within_answer', 'within_question', 'none']),
  /** Change of score for each place further down. */
  slope: Estimate,
  /**
   * States how much more the first and the last place get than the other places: a judge that favours both ends, or the middle, has no slope. Absent in
   * files of before.
   */
  first: Estimate.optional(),
  last: Estimate.optional(),
})
export type PositionEffect = z.infer<typeof PositionEffect>

/** Describes how often one judge contradicts itself when only the order of the answers changes; shares of the comparisons in `n`. */
export const FlipRates = z.strictObject({
  /** Two rotations of a question whose best votes differ. */
  best: Estimate,
  /** Two answers that are ranked strictly and oppositely in two rotations, among those ranked strictly in both. */
  order: Estimate,
})
export type FlipRates = z.infer<typeof FlipRates>

/** Correlation of one judge's score with the logarithm of answer length, place in the prompt removed. */
export const LengthCorrelation = z.strictObject({
  /** Among the answers to one question. */
  within_question: Estimate,
  /** The same with the general level of each approach removed from score and length. */
  within_approach: Estimate,
})
export type LengthCorrelation = z.infer<typeof LengthCorrelation>

const rank = z.int().min(1).nullable()

/** Ranks of the panel's means with all judges and with each judge left out; equal means share the better rank. */
export const LeaveOneJudgeOut = z.strictObject({
  approaches: z.array(
    z.strictObject({
      model: approach,
      mean: z.number().nullable(),
      rank,
      /** Its rank without each judge, in the order of `judges`. */
      ranks_without: z.array(rank),
    }),
  ),
  judges: z.array(z.string()),
  /** Approaches whose rank changes when some judge is left out. */
  unstable: z.array(approach),
  /** The first place is shared, empty, or changes hands when some judge is left out. */
  inconclusive: z.boolean(),
})
export type LeaveOneJudgeOut = z.infer<typeof LeaveOneJudgeOut>
