import type { LookLedger } from '../../../contract/evidence/aggregate.ts'
import type { TunedApproach } from '../../../contract/evidence/tuning.ts'

/**
 * Share of the error that the current look may spend. Of questions that may grow, each look spends four fifths of what is left: .8, .16, .032, …, which
 * sums to 1, so that the chance of any false decision over any number of looks is at most α by the union bound (alpha spending; Lan and DeMets 1983,
 * Biometrika 70:659-663). A fixed plan has one look, which spends everything.
 */
export function shareOfLook({ plan, seen }: LookLedger): number {
  const look = Math.max(1, seen.length)
  if (plan === 'fixed') return look === 1 ? 1 : 0
  return shareOfNth(look)
}

/** Share of the error that the first, second, … of any number of looks may spend: .8, .16, .032, …. */
export const shareOfNth = (look: number): number => 0.8 * 0.2 ** (look - 1)

/**
 * Share of the error that a run may spend which is a further look at the holdout of a tuning, as each opening by a tuning is one; 1 where it has no question of a
 * holdout, and where it has questions that settings were chosen on, on which no share makes a lead believable.
 */
export function shareOfTuned(
  tuned: readonly Pick<TunedApproach, 'development' | 'holdout' | 'openings'>[] = [],
): number {
  const looks = tuned.filter(({ development, holdout }) => development === 0 && holdout > 0)
  return looks.length === 0 ? 1 : shareOfNth(1 + Math.max(...looks.map(({ openings }) => openings)))
}

/** The ledger with the current look: another one than the last where the number of questions is another. */
export function withLook(ledger: LookLedger, look: LookLedger['seen'][number]): LookLedger {
  const last = ledger.seen.at(-1)
  return last?.questions === look.questions ? ledger : { ...ledger, seen: [...ledger.seen, look] }
}

/** Returns what a look changes: the level of pairs, and their p-values, which are compared with the error of one look. With a share of 0 no pair is decided. */
export const ofLook = (level: number, share = 1) => ({
  level: share === 0 ? level : 1 - (1 - level) * share,
  corrected: (p: number | null): number | null => (p === null ? null : share === 0 ? 1 : Math.min(1, p / share)),
})
