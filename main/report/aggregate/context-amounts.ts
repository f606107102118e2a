import { BASELINE } from '../../../contract/approaches.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { matchedHybridName } from '../../../core/matched-hybrid.ts'

/** Amounts of text compare where the larger exceeds the smaller by at most this share of itself. */
const LIKE_SHARE = 0.1

/** Returns true when two amounts are like; null where one is unknown. */
export const isLikeAmount = (a: number | null, b: number | null): boolean | null =>
  a === null || b === null ? null : Math.abs(a - b) <= LIKE_SHARE * Math.max(a, b)

/** Amounts that all are like; null where one is unknown. */
export const areLikeAmounts = (amounts: readonly (number | null)[]): boolean | null => {
  const known = amounts.filter((amount) => amount !== null)
  return known.length < amounts.length ? null : isLikeAmount(Math.min(...known), Math.max(...known))
}

/** Describes how much text the selected approaches of a dataset run handed over, and which of them compare by it. */
export interface LikeAmounts {
  /** Median tokens by approach; null where its rows do not tell. */
  medians: ReadonlyMap<string, number | null>
  /** Returns true when two approaches handed over like amounts; null where one of them is unknown. */
  isLike: (a: string, b: string) => boolean | null
  /** Pairs whose amounts are known and differ by more than a tenth, the larger first. */
  unlike: readonly { larger: string; smaller: string; larger_median: number; smaller_median: number }[]
  /**
   * Approaches that handed over another amount than the baseline, each with the hybrid that ran beside it at its own amount (null where none did), and
   * the name under which a run of the same id adds one.
   */
  matched: readonly { model: string; baseline: string | null; named: string }[]
}

/** Reads the amounts of an aggregate, from which a verdict decides what it may compare. */
export function likeAmounts({ approaches }: Pick<Aggregate, 'approaches'>): LikeAmounts {
  const selected = approaches.filter(({ selected: isSelected }) => isSelected)
  const medians = new Map(selected.map(({ model, context_tokens: tokens }) => [model, tokens?.median ?? null]))
  const isLike = (a: string, b: string): boolean | null => isLikeAmount(medians.get(a) ?? null, medians.get(b) ?? null)
  const models = [...medians.keys()]
  const hybrids = selected.filter(({ base_model: base }) => base === BASELINE).map(({ model }) => model)
  return {
    medians,
    isLike,
    unlike: models.flatMap((a, at) =>
      models.slice(at + 1).flatMap((b) => {
        if (isLike(a, b) !== false) return []
        const [larger, smaller] = medians.get(a)! > medians.get(b)! ? [a, b] : [b, a]
        return [{ larger, smaller, larger_median: medians.get(larger)!, smaller_median: medians.get(smaller)! }]
      }),
    ),
    matched: models
      .filter((model) => !hybrids.includes(model) && medians.has(BASELINE) && isLike(model, BASELINE) === false)
      .map((model) => ({
        model,
        baseline: hybrids.find((hybrid) => isLike(model, hybrid) === true) ?? null,
        named: matchedHybridName(medians.get(model)!),
      })),
  }
}
