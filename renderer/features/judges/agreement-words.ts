import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { plural, score } from '../../components/format.ts'
import { estimateText, whyNoInterval } from '../../components/estimate.tsx'
import { JUDGES_WORDS } from './judges-words.ts'

/** Krippendorff (2004), ch. 11: rely on 0.8 and more; tentative conclusions down to 0.667. */
const RELIABLE = 0.8
const TENTATIVE = 0.667

/** Returns what an alpha allows to conclude, in a sentence. Where there is an interval, its lower end decides. */
export function alphaSentence(alpha: Estimate, judges: number): string {
  const { value, interval, no_interval: why } = alpha
  if (judges < 2) return 'There is only one judge: agreement cannot be measured.'
  if (value === null)
    return why === 'not_defined'
      ? 'All grades are equal: agreement is not defined.'
      : 'No answer was graded by two judges: agreement cannot be measured.'
  if (interval === null) return `Agreement is ${score(value)}, one value (${whyNoInterval(alpha)}): read it with care.`
  const { low } = interval
  if (low >= RELIABLE)
    return 'The judges agree well with each other. Whether they grade as people do, agreement does not show.'
  if (low >= TENTATIVE) return 'The judges agree enough for tentative conclusions, not for firm ones.'
  if (value >= TENTATIVE)
    return `The judges seem to agree, but the data also allow ${score(low)}: too little to rely on their grades.`
  if (low > 0)
    return 'The judges agree better than by chance, but too little to rely on their grades: look at each judge alone.'
  return 'The judges are not shown to agree better than by chance: their mean is no measure of quality.'
}

/** Returns how far a person and a judge agree, by the words of Landis and Koch (1977). */
export function kappaSentence(estimate: Estimate): string {
  const { value, no_interval: why } = estimate
  if (value === null) return why === 'not_defined' ? 'all grades equal: not defined' : 'no answer that both graded'
  if (estimate.interval === null) return whyNoInterval(estimate)
  if (value <= 0) return 'no better than chance'
  const steps: [number, string][] = [
    [0.2, 'slight'],
    [0.4, 'fair'],
    [0.6, 'moderate'],
    [0.8, 'substantial'],
  ]
  return steps.find(([limit]) => value <= limit)?.[1] ?? 'almost perfect'
}

/** Returns what a judge's slope by position means; only an interval without zero is an effect. */
export function positionSentence(slope: Estimate): string {
  if (slope.value === null) return 'not measurable'
  if (slope.no_interval === 'no_variation') return 'the same in every group of questions'
  if (slope.interval === null) return whyNoInterval(slope)
  if (slope.interval.low > 0) return 'favours later answers'
  if (slope.interval.high < 0) return 'favours earlier answers'
  return 'no effect seen'
}

/** `α = 0.83 [0.75, 0.90]` */
export const alphaText = (estimate: Estimate): string => `α = ${estimateText(estimate)}`

/** Who graded the answers, and how: null before any judge did, which the page says by itself. */
export function panelWords(
  judges: number,
  runtime: { rotations: number; reference: boolean } | null,
  isClosed: boolean,
): string | null {
  const { closed, rotations, withReference, withoutReference } = JUDGES_WORDS.results
  const orders = runtime === null ? '' : ` ${rotations(plural(runtime.rotations, 'order'))}`
  const reference = runtime === null ? '' : runtime.reference ? withReference : withoutReference
  const sentences = [
    ...(isClosed ? [closed] : []),
    ...(judges === 0 ? [] : [`${plural(judges, 'judge')}${orders}${reference}.`]),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}
