import type {
  DisputeReason,
  InconclusiveReason,
  JudgedQuery,
  JudgedRotation,
  JudgeVerdict,
} from '../../contract/evidence/judgments.ts'
import { mean, rounded } from '../lib/text/numbers.ts'

/** Points between two answers from which a judge's preference is strong: half of what the scale spans. */
const STRONG_PREFERENCE = 2

const cents = (value: number): number => Math.round(value * 100) / 100

/** The key with the highest count; null without any, or when several share it. */
function alone(counts: ReadonlyMap<string, number>): string | null {
  const highest = Math.max(0, ...counts.values())
  const first = [...counts].filter(([, value]) => value === highest && value > 0)
  return first.length === 1 ? first[0]![0] : null
}

function countsOf(names: Iterable<string | null>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** One judge's rotations of a question, in their order → its verdict; null for none. */
export function verdictOfRotations(
  rotations: readonly JudgedRotation[],
  models: readonly string[],
): JudgeVerdict | null {
  const [first] = rotations
  if (first === undefined) return null
  const scores = models.flatMap((model) => {
    const given = rotations.flatMap(({ scores }) => scores[model] ?? [])
    const average = mean(given)
    return average === null ? [] : [[model, rounded(average)] as const]
  })
  return {
    scores: Object.fromEntries(scores),
    best: alone(countsOf(rotations.map(({ best }) => best))),
    ...(first.reasons === undefined ? {} : { reasons: first.reasons }),
    rotations: [...rotations],
  }
}

type QueryOutcome = Pick<JudgedQuery, 'mean_by_approach' | 'votes' | 'observed_winner'> & {
  inconclusive: InconclusiveReason | null
  disputed: DisputeReason | null
}

/**
 * Verdicts of all judges on a question → means, votes and winner. The highest mean wins; votes only decide between equal means (to two
 * decimals). There is no winner without a verdict, or where mean and votes tie. `disputed` marks a winner that a single judge named, or above
 * which at least half of the judges put some other answer by two points or more: its mean only averages a quarrel.
 */
export function queryOutcome(verdicts: readonly JudgeVerdict[], models: readonly string[]): QueryOutcome {
  const scored = models.flatMap((model) => {
    const given = verdicts.flatMap(({ scores }) => scores[model] ?? [])
    const average = mean(given)
    return average === null ? [] : [[model, cents(average)] as const]
  })
  const voted = countsOf(verdicts.map(({ best }) => best))
  const means = new Map(scored)
  const outcome = (
    winner: string | null,
    inconclusive: InconclusiveReason | null,
    disputed: DisputeReason | null = null,
  ): QueryOutcome => ({
    mean_by_approach: Object.fromEntries(scored),
    votes: Object.fromEntries(scored.map(([model]) => [model, voted.get(model) ?? 0])),
    observed_winner: winner,
    inconclusive,
    disputed,
  })
  if (verdicts.length === 0) return outcome(null, 'not_judged')
  const highest = Math.max(...means.values())
  const leaders = [...means].filter(([, own]) => own === highest).map(([model]) => model)
  const winner =
    leaders.length === 1 ? leaders[0]! : alone(new Map(leaders.map((model) => [model, voted.get(model) ?? 0])))
  if (winner === null) return outcome(null, 'tie')
  const opposed = verdicts.filter(
    ({ scores }) => Math.max(...Object.values(scores)) - (scores[winner] ?? 0) >= STRONG_PREFERENCE,
  )
  const disputed =
    verdicts.length < 2 ? 'too_few_judges' : 2 * opposed.length >= verdicts.length ? 'judges_disagree' : null
  return outcome(winner, null, disputed)
}
