import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { score } from '../../components/format.ts'
import { estimateText } from '../../components/estimate.tsx'

/** Krippendorff (2004), ch. 11: rely on 0.8 and more; tentative conclusions down to 0.667. */
const RELIABLE = 0.8
const TENTATIVE = 0.667

/** What an alpha allows to conclude, in a sentence. Where there is an interval, its lower end decides. */
export function alphaSentence({ value, interval, no_interval: why }: Estimate, judges: number): string {
  if (judges < 2) return 'There is only one judge: agreement cannot be measured.'
  if (value === null)
    return why === 'not_defined'
      ? 'All grades are equal: agreement is not defined.'
      : 'No answer was graded by two judges: agreement cannot be measured.'
  const low = interval?.low ?? value
  const unsure = interval === null ? ' Too few questions for an interval: read it with care.' : ''
  if (low >= RELIABLE) return `The judges agree well enough to rely on their ranking.${unsure}`
  if (low >= TENTATIVE) return `The judges agree enough for tentative conclusions, not for firm ones.${unsure}`
  if (value >= TENTATIVE)
    return `The judges seem to agree, but the data also allow ${score(low)}: too little to rely on their ranking.${unsure}`
  if (value > 0)
    return `The judges agree better than by chance, but too little to rely on their ranking: look at each judge alone.${unsure}`
  return `The judges agree no better than chance: their mean is no measure of quality.${unsure}`
}

/** How far a person and a judge agree, by the words of Landis and Koch (1977). */
export function kappaSentence(estimate: Estimate): string {
  const { value, no_interval: why } = estimate
  if (value === null) return why === 'not_defined' ? 'all grades equal: not defined' : 'no answer that both graded'
  if (estimate.interval === null) return 'inconclusive: too few questions'
  if (value <= 0) return 'no better than chance'
  const steps: [number, string][] = [
    [0.2, 'slight'],
    [0.4, 'fair'],
    [0.6, 'moderate'],
    [0.8, 'substantial'],
  ]
  return steps.find(([limit]) => value <= limit)?.[1] ?? 'almost perfect'
}

/** What a judge's slope by position means; only an interval without zero is an effect. */
export function positionSentence(slope: Estimate): string {
  if (slope.value === null) return 'not measurable'
  if (slope.interval === null) return 'inconclusive: too few questions'
  if (slope.interval.low > 0) return 'favours later answers'
  if (slope.interval.high < 0) return 'favours earlier answers'
  return 'no effect seen'
}

/** `α = 0.83 [0.75, 0.90]` */
export const alphaText = (estimate: Estimate): string => `α = ${estimateText(estimate)}`
