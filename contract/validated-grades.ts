// Graded metrics whose agreement with people's grades was measured. Until a metric is listed here for a model, its means are shown and rank no approach
// (docs/validity.md says how agreement is measured). To add one: an entry with what was measured, and the figure in docs/validity.md.

/** Least correlation with people's grades at which a graded metric may rank approaches. */
const LEAST_AGREEMENT = 0.62

export interface ValidatedGrade {
  metric: string
  /** Name of the evaluator's model, as rows record it. */
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
