/** Describes how close an implementation is to a published method. */
export interface MethodStatement {
  /** Names the published method with its source; null where there is none. */
  follows: string | null
  /** faithful: every essential step. like: the essential idea, with steps that differ. differs: another method of that family. */
  relation: 'faithful' | 'like' | 'differs'
  /** Steps that are as published. */
  same: readonly string[]
  /** Steps that are not. */
  differs: readonly string[]
}

/** Names the source that the graded metrics follow. */
export const RAGAS = 'Ragas 0.4.3 (arXiv 2309.15217)'
/** Holds for every metric that follows it. */
export const OWN_PROMPTS =
  'The prompts are this project’s own, so that scores are not comparable with published ones; equal replies give equal scores (10⁻¹⁵).'

/** Names the source that the metrics of citations follow. */
export const ALCE = 'ALCE (arXiv 2305.14627)'
export const ALCE_DIFFERS = [
  'The evaluator’s model, or its rules, judges entailment instead of T5-XXL TRUE; passages are judged without their titles.',
  'The whole answer is judged, not its first line; headings are left out, a refusal has no value, and at most 50 sentences are judged.',
] as const

export const COUNTED_ONCE = 'A statement that the evaluator repeats counts once.'
