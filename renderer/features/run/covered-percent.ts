import type { Coverage } from '../../../contract/control/cells.ts'
import { gapsOfApproach } from '../../../core/evidence/gap-reasons.ts'

/** Share of the scores that metrics can measure, in whole percent; 100 only where none is missing. Null where nothing can be measured. */
export function coveredPercent({ aliases }: Pick<Coverage, 'aliases'>): number | null {
  const metrics = aliases.flatMap((alias) => alias.metrics.filter(({ state }) => state !== 'disabled'))
  const scored = metrics.reduce((sum, metric) => sum + metric.scored, 0)
  const gaps = metrics.reduce((sum, metric) => sum + gapsOfApproach(metric), 0)
  return scored + gaps === 0 ? null : Math.floor((scored / (scored + gaps)) * 100)
}
