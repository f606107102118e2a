import type { Estimate } from '../../contract/evidence/statistics.ts'
import { intervalWords } from '../../contract/words.ts'
import { count, score, signed } from './format.ts'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.estimate

const NO_INTERVAL: Record<NonNullable<Estimate['no_interval']>, string> = {
  no_data: WORDS.nothingToMeasure,
  not_defined: WORDS.undefinedValue,
  too_few_clusters: WORDS.fewGroups,
  no_variation: WORDS.groupsAgree,
}

/** Why an estimate has no interval; empty where it has one. */
export const whyNoInterval = ({ no_interval: why }: Estimate): string => (why === null ? '' : NO_INTERVAL[why])

/** An estimate as text: 0.83 [0.75, 0.90]; `withSign` for differences and effects. */
export function estimateText(estimate: Estimate, withSign = false): string {
  const { value, interval } = estimate
  const write = withSign ? signed : score
  if (value === null) return '–'
  return interval === null ? write(value) : `${write(value)} ${intervalWords(interval, write)}`
}

/** An interval as text: undefined while it is computed, null where there is none. */
export function intervalText(interval: Estimate['interval'] | undefined): string {
  if (interval === undefined) return WORDS.computing
  return interval === null ? '–' : intervalWords(interval)
}

/** Value and interval, what it rests on, and why there is no interval. */
export function EstimateCell({ estimate, withSign, of }: { estimate: Estimate; withSign?: boolean; of: string }) {
  const why = whyNoInterval(estimate)
  return (
    <>
      {estimateText(estimate, withSign)}
      <div className="dim">
        {count(estimate.n)} {of}
        {why !== '' && estimate.n > 0 && ` · ${why}`}
      </div>
    </>
  )
}
