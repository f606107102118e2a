import type {
  Aggregate,
  ArtifactName,
  ApproachSummary,
  ComparedMetric,
  ConfidenceInterval,
  Estimate,
  PairComparison,
  PairDecision,
} from '../../contract/index.ts'

/** A metric that approaches are compared on, by its name in aggregates. */
export type ComparedName = ArtifactName

/** The alias that differences are shown against where it was selected. */
const BASELINE = 'hybrid-rag'

/** A metric's comparison; null when no approach is scored on it, or in files of earlier versions. */
export const comparedMetric = ({ comparisons }: Aggregate, name: ComparedName): ComparedMetric | null =>
  comparisons?.metrics.find(({ metric }) => metric === name) ?? null

/** Mean of an approach with its interval; null when it is not compared. */
export const meanEstimate = (compared: ComparedMetric | null, model: string): Estimate | null =>
  compared?.approaches.find((approach) => approach.model === model)?.mean ?? null

/** The interval around an approach's mean; null where there is none. */
export const meanInterval = (aggregate: Aggregate, name: ComparedName, model: string): ConfidenceInterval | null =>
  meanEstimate(comparedMetric(aggregate, name), model)?.interval ?? null

/** What the other approaches are shown against: hybrid where it was selected, else the first selected one; null for none. */
export function baselineOf({ approaches }: Pick<Aggregate, 'approaches'>): ApproachSummary | null {
  const selected = approaches.filter((approach) => approach.selected)
  return selected.find(({ model }) => model === BASELINE) ?? selected[0] ?? null
}

/** `a` seen against `b`, whichever way round the pair is kept; null for a pair that is not there. */
export function pairAgainst(compared: ComparedMetric | null, a: string, b: string): PairComparison | null {
  const pair = compared?.pairs.find((each) => (each.a === a && each.b === b) || (each.a === b && each.b === a))
  if (pair === undefined) return null
  return pair.a === a ? pair : turned(pair)
}

const OPPOSITE: Readonly<Record<PairDecision, PairDecision>> = {
  better: 'worse',
  worse: 'better',
  undecided: 'undecided',
}

function turned(pair: PairComparison): PairComparison {
  const { value, interval } = pair.difference
  return {
    ...pair,
    a: pair.b,
    b: pair.a,
    difference: {
      ...pair.difference,
      value: value === null ? null : 0 - value,
      interval: interval === null ? null : { low: 0 - interval.high, high: 0 - interval.low },
    },
    decision: OPPOSITE[pair.decision],
    wins: pair.losses,
    losses: pair.wins,
  }
}

/** Decided pairs of one approach: those where it is better, worse, and those that stay open. */
export function standingOf(compared: ComparedMetric | null, model: string): Record<PairDecision, number> {
  const standing = { better: 0, worse: 0, undecided: 0 }
  for (const { a, b, p, decision } of compared?.pairs ?? []) {
    if (p === null) continue
    if (a === model) standing[decision] += 1
    else if (b === model) standing[OPPOSITE[decision]] += 1
  }
  return standing
}
