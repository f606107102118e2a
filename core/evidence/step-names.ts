import type { LadderStep } from '../../contract/evidence/run-event.ts'

/** The twelve steps in words, on the command line and in the pages. */
export const STEP_NAMES: Record<LadderStep, string> = {
  validate: 'Validate manifests',
  cold_reset: 'Cold reset',
  start: 'Start services',
  ingest: 'Ingest documents',
  contextualize: 'Contextualize chunks',
  cells: 'Ask questions',
  evaluate: 'Evaluate answers',
  check_cells: 'Check answers',
  judge: 'Judge answers',
  summarize: 'Summarize',
  check_artifacts: 'Check artifacts',
  publish: 'Publish',
}
