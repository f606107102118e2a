// Graded metrics, and judges, whose agreement with people's grades was measured. Until a metric is listed here for a model, its means are shown and rank no
// approach (docs/validity.md says how agreement is measured). To add one: an entry with what was measured, and the figure in docs/validity.md.
import { judgeMean } from './metrics/judge-mean.ts'
import { listWords } from './words.ts'

/** Least correlation with people's grades at which a graded metric may rank approaches. */
const LEAST_AGREEMENT = 0.62

export interface ValidatedGrade {
  metric: string
  /** Name of the evaluator's model, as rows record it; for `judge_mean` that of a judge. */
  model: string
  /** Pearson correlation with people's grades, on answers that neither prompts nor rules were made with. */
  pearson: number
  answers: number
  /** Names the public labels. */
  labels: string
}

/** No model has been measured yet. */
export const VALIDATED_GRADES: readonly ValidatedGrade[] = []

/** True when what a model grades follows people's grades well enough to rank approaches. */
export const isValidated = (
  metric: string,
  model: string,
  grades: readonly ValidatedGrade[] = VALIDATED_GRADES,
): boolean =>
  grades.some((grade) => grade.metric === metric && grade.model === model && grade.pearson >= LEAST_AGREEMENT)

/** Returns true for a judge that is a rule of this program. */
export const isRuleJudge = (judge: string): boolean => judge.startsWith('builtin-')

/** Says after "judge mean" why the votes of these judges decide nothing; null where each judge is validated. */
export function unvalidatedJudges(
  judges: readonly string[],
  grades: readonly ValidatedGrade[] = VALIDATED_GRADES,
): string | null {
  if (judges.some(isRuleJudge)) return "is of built-in rules, which do not follow people's grades"
  const open = judges.filter((judge) => !isValidated(judgeMean.id, judge, grades))
  return open.length === 0 ? null : `is of ${listWords(open)}, whose agreement with people's grades is not measured`
}

/** Votes that decide nothing are worth this. */
export const SHOWN_NOT_VALIDATED = 'it is shown, not validated, and ranks no approach'
