import type { Aggregate, ApproachSummary } from '../../contract/evidence/aggregate.ts'

// Which approaches of a run let calls leave this machine. Pages, reports and terminal ask here and say it in these words.

/** The mark beside what leaves this machine. */
export const CLOUD_MARK = '▲ cloud'

type Uses = Pick<ApproachSummary, 'operational' | 'usage'>

/** Returns true when some answer of an approach called a model that leaves this machine. */
const callsCloud = ({ operational: { cloud_calls: calls }, usage }: Uses): boolean =>
  (calls.max ?? 0) > 0 || (usage?.answers.some(({ cloud }) => cloud) ?? false)

/** Approaches with such calls in any of the datasets, in the order of their first one. */
export const cloudApproaches = (aggregates: readonly Pick<Aggregate, 'approaches'>[]): string[] => [
  ...new Set(aggregates.flatMap(({ approaches }) => approaches.filter(callsCloud).map(({ model }) => model))),
]

/** Returns what the mark means for these approaches; null for none. */
export const cloudWords = (models: readonly string[]): string | null =>
  models.length === 0 ? null : `${CLOUD_MARK}: for the answers of ${models.join(', ')}, calls left this machine.`
