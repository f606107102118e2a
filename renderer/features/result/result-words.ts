import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { plural } from '../../../contract/words.ts'
import { count } from '../../components/format.ts'
import type { ExpectedOutcome } from './expected-outcome.ts'

/** Texts of the Result page, and of the panel of a run's result on other pages. */
export const RESULT_WORDS = {
  page: 'Result',
  noRun: 'No run yet',
  afterLaunch: 'Which approach is better, and how sure that is, appears here when a dataset of a run is done.',
  result: (run: string) => `Result of ${run}`,
  what: 'The result',
  sample: 'A sample result, published with the project: it was not measured on your documents or with your models.',
  pending: (labels: readonly string[]) =>
    `Not summed up yet: ${labels.join(', ')}. A run is summed up when its cells are done.`,
  noSummary: 'This run has no summary yet: its result appears here when a dataset is done.',
  kinds: {
    winner: { sign: '●', name: 'decided' },
    ahead: { sign: '◐', name: 'partly decided' },
    others: { sign: '◐', name: 'partly decided' },
    undecided: { sign: '○', name: 'nothing decided' },
    not_comparable: { sign: '–', name: 'not comparable' },
  } satisfies Record<Verdict['kind'], { sign: string; name: string }>,

  costs: 'Cost of the answers',
  costsAbout: 'Tokens of each cell at your prices, which are on the Models page. Ingestion and judges are not in it.',
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

  expectations: {
    title: (dataset: string) => `Expected and observed best, question by question · ${dataset}`,
    observed: 'Observed best',
    outcome: 'Outcome',
    outcomes: {
      expected: '● as expected',
      tied: '◐ tied with others',
      other: '○ another is better',
      unnamed: '–',
      no_value: 'no value',
    } satisfies Record<ExpectedOutcome, string>,
    summary: (metric: string, outcomes: readonly ExpectedOutcome[], total: number) => {
      const of = (wanted: ExpectedOutcome): number => outcomes.filter((each) => each === wanted).length
      const named = outcomes.length - of('unnamed')
      const asked =
        outcomes.length < total
          ? `Of the first ${count(outcomes.length)} of ${count(total)} questions`
          : `Of ${plural(total, 'question')}`
      if (named === 0) return `${asked}, none names an approach that should be best. By ${metric}:`
      const parts = [
        `the expected approach is best alone on ${count(of('expected'))}`,
        `ties with others on ${count(of('tied'))}`,
        `another is better on ${count(of('other'))}`,
        ...(of('no_value') > 0 ? [`${count(of('no_value'))} cannot be compared`] : []),
      ]
      return `${asked}, ${count(named)} name an approach that should be best. By ${metric}, ${parts.join(', ')}.`
    },
    more: (shown: number, total: number) => `Show more (${count(shown)} of ${count(total)})`,
  },
}
