import type { LadderStep } from '../../../contract/index.ts'

/** What each step does, as a person would say it. */
export const STEP_LABELS: Record<LadderStep, string> = {
  validate: 'check manifests and corpus',
  cold_reset: 'cold reset',
  start: 'start the platform',
  ingest: 'ingest the corpus',
  contextualize: 'write chunk contexts',
  cells: 'run the cells',
  evaluate: 'evaluate and summarize',
  check_cells: 'check every cell',
  judge: 'judge panel',
  summarize: 'join judges into the summary',
  check_artifacts: 'check the artifacts',
  publish: 'publish',
}

export function bar(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.round((done / total) * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** Counts as `name 12, other 3`. */
export function counts(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(', ')
}
