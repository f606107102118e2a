import type { IngestionPhase } from '../../contract/http/ingestion.ts'
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

const PHASE_NAMES: Record<IngestionPhase, string> = {
  discover: 'find files',
  parse: 'read documents',
  chunk: 'cut chunks',
  embed: 'embed chunks',
  vector_write: 'store vectors',
  graph_upload: 'send to graph',
  drain: 'extract graph',
  finalize: 'finish',
}

/** A phase of an ingestion in words, on the command line and in the pages. One that this version does not know stays as it is. */
export const phaseWords = (phase: string): string =>
  (PHASE_NAMES as Readonly<Record<string, string>>)[phase] ?? phase.replaceAll('_', ' ')
