import type { Verdict } from '../../../contract/evidence/verdict.ts'

/** Texts of the Result page, and of the panel of a run's result on other pages. */
export const RESULT_WORDS = {
  page: 'Result',
  noRun: 'No run yet',
  afterLaunch: '; its result appears here when a dataset is done.',
  result: (run: string) => `Result of ${run}`,
  what: 'The result',
  sample: 'A sample result, published with the project: it was not measured on your documents or with your models.',
  pending: (labels: readonly string[]) =>
    `Not summed up yet: ${labels.join(', ')}. A run is summed up when its cells are done.`,
  noSummary: 'This run has no summary yet: its result appears here when a dataset is done.',
  kinds: {
    winner: 'Decided',
    ahead: 'Partly decided',
    others: 'Partly decided',
    undecided: 'Nothing decided',
    not_comparable: 'Not comparable',
  } satisfies Record<Verdict['kind'], string>,

  costs: 'Cost of the answers',
  costsAbout: 'Tokens of each cell at your prices, which are on the page Models. Ingestion and judges are not in it.',
  dataset: 'Dataset',
  approach: 'Approach',
  answers: 'Answers',
  cost: 'Cost',
  perAnswer: 'For an answer',
  grading: 'Grading',

  figures: 'The figures of the approaches',
  against: (metric: string, dataset: string) => `${metric} against mean latency · ${dataset}`,
  overRungs: (metric: string) => `${metric} over the rungs`,

  separating: (dataset: string) => `Questions that separate the approaches most · ${dataset}`,
  separatingWhat: 'The questions',
  noSeparating: (metric: string) => `All approaches have the same ${metric} on every question, or too few have one.`,
  question: 'Question',
  highest: 'Highest',
  lowest: 'Lowest',
  expected: 'Expected best',
  notNamed: 'not named',
  noValue: 'no value',
  all: (shown: number) => (shown === 1 ? 'the other approach' : `all ${shown}`),
  inMatrix: 'All questions in the matrix',
}
