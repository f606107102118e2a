import { numbered } from './residuals.ts'

/** One judge's score for one answer in one prompt. */
export interface PlacedScore {
  question: string
  /** Questions of one cluster are resampled together. */
  cluster: string
  approach: string
  /** Which ordering of the answers this prompt had. */
  rotation: number
  /** Place in the prompt: 1 is first. */
  position: number
  score: number
  /** Characters of the answer as the judge saw it; at least 0. */
  length: number
}

/** A property of a score that groups it with others. */
export type Grouping = (score: PlacedScore) => string

export const byQuestion: Grouping = ({ question }) => question
export const byApproach: Grouping = ({ approach }) => approach
export const byAnswer: Grouping = ({ question, approach }) => `${question}\n${approach}`

/** For each function of a score's index, its sum in every cluster. */
export function clusterSums(
  scores: readonly PlacedScore[],
  values: readonly ((at: number) => number)[],
): Float64Array[] {
  const { indexes, size } = numbered(scores.map(({ cluster }) => cluster))
  return values.map((valueOf) => {
    const sums = new Float64Array(size)
    for (const [at, cluster] of indexes.entries()) sums[cluster]! += valueOf(at)
    return sums
  })
}

/** How many scores each cluster has in those groups in which at least one score tells something. */
export function informativeCounts(
  scores: readonly PlacedScore[],
  grouping: Grouping,
  tells: (at: number) => boolean,
): Float64Array {
  const groups = scores.map(grouping)
  const telling = new Set(groups.filter((_, at) => tells(at)))
  return clusterSums(scores, [(at) => (telling.has(groups[at]!) ? 1 : 0)])[0]!
}

/**
 * √(df before / df after) for fixed effects beyond the first grouping: they are estimated from the whole sample, and resampling residuals does
 * not see what they took. The first grouping lies within clusters, where it does.
 */
export function effectInflation(scores: readonly PlacedScore[], effects: readonly Grouping[]): number {
  const [first, ...others] = effects.map((effect) => new Set(scores.map(effect)).size)
  const before = scores.length - (first ?? 0)
  const after = others.reduce((df, groups) => df - (groups - 1), before)
  return after > 0 ? Math.sqrt(before / after) : 1
}
