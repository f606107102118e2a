import { z } from 'zod'
import { EvaluationMetric, Identifier, SCHEMA_VERSION } from '../common.ts'
import { Reproducibility } from './provenance.ts'

/** Evaluation settings of a run in readable form, beside their hash; null where rows were stored before they were recorded. */
export const EvaluationConditions = z.strictObject({
  metrics: z.array(EvaluationMetric),
  retries: z.int().nullable(),
  timeout_s: z.number().nullable(),
  evaluator_timeout_s: z.number().nullable(),
})
export type EvaluationConditions = z.infer<typeof EvaluationConditions>

/**
 * Describes what all rows of one evidence file share: written beside it, and synced, before its first row. Which approaches a run has is not part of it:
 * another selection extends the run. Judges read stored answers, so `reproducibility.runtime.judge_panel` only records what was set when the run
 * began.
 */
export const RunIdentity = z.strictObject({
  schema_version: z.literal(SCHEMA_VERSION),
  /** Missing in records from before it was kept: then it is that of the rows. */
  runner_version: z.int().min(1).optional(),
  run_id: Identifier,
  dataset_id: Identifier,
  evaluation: EvaluationConditions,
  reproducibility: Reproducibility,
})
export type RunIdentity = z.infer<typeof RunIdentity>
