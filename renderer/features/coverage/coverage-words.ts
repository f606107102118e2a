/** Texts of the tab Coverage. */
export const COVERAGE_WORDS = {
  coverage: 'The coverage',
  table: 'Scores by approach and metric',
  tableRegion: 'Coverage',
  fromSummary: 'from the run’s summary',
  live: 'from the rows so far, without reasons',
  onlyGaps: 'only gaps',
  noGaps: 'Every answer that a metric can measure has a score.',
  showCells: (model: string) => `Show these answers of ${model} in the matrix`,
  columns: {
    approach: 'Approach',
    metric: 'Metric',
    state: 'State',
    mean: 'Mean',
    scored: 'Scored',
    errors: '▲ Errors',
    timeouts: '◷ Timeouts',
    unevaluable: '○ Not evaluable',
    disabled: '– Disabled',
    notScored: '✕ Not\u00a0scored',
    missing: 'Missing',
    reasons: 'Reasons',
  },
  cells: (ok: string, expected: string, failed: string, timedOut: string) =>
    `${ok}/${expected} answered · ${failed} failed · ${timedOut} timed out`,
  shared: (questions: string, mean: string) =>
    `mean on the questions that all approaches share (${questions}): ${mean}`,
  notes: 'What cannot be compared, and why',
} as const
