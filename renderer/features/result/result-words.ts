import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { plural, USE_NOTE } from '../../../contract/words.ts'
import { count } from '../../components/format.ts'
import type { ExpectedOutcome } from './expected-outcome.ts'

/** Texts of the tab Verdict, and of the panel of a run's result on other pages. */
export const RESULT_WORDS = {
  result: (run: string) => `Result of ${run}`,
  what: 'The result',
  sample: 'A sample result, published with the project: it was not measured on your documents or with your models.',
  pending: (labels: readonly string[]) =>
    `Not summed up yet: ${labels.join(', ')}. A run is summed up when its answers are done.`,
  noSummary: 'This run has no summary yet: its result appears here when a dataset is done.',
  kinds: {
    winner: { sign: '●', name: 'one leads' },
    tied: { sign: '◐', name: 'a top group' },
    ceiling: { sign: '=', name: 'ceiling' },
    floor: { sign: '=', name: 'floor' },
    equivalent: { sign: '≈', name: 'equivalent' },
    open: { sign: '○', name: 'open' },
    too_few: { sign: '–', name: 'not tested' },
    partly_failed: { sign: '▲', name: 'partly failed' },
    unlike_text: { sign: '◐', name: 'unlike amounts of text' },
    tuned: { sign: '◐', name: 'tuned on these questions' },
    not_comparable: { sign: '–', name: 'nothing to compare' },
  } satisfies Record<Verdict['kind'], { sign: string; name: string }>,

  scored: (questions: number) => plural(questions, 'scored question'),
  behaviour: {
    title: (dataset: string) => `Behaviour beside the score · ${dataset}`,
    unanswerable: 'Answered unanswerable',
    refused: 'Refused answerable',
    failed: 'Failed',
    timeouts: (timeouts: number) => `(${plural(timeouts, 'timeout')})`,
    text: 'Text handed over (tokens)',
    latency: 'Median time',
    calls: 'Model calls',
    tokens: 'Tokens',
  },

  levels: 'How relational the datasets are',

  costs: 'Cost of the answers',
  costsAbout:
    'Tokens of each answer at your prices, which are on the Models page. Ingestion and judges are in the table below.',
  dataset: 'Dataset',
  approach: 'Approach',
  answers: 'Answers',
  cost: 'Cost',
  perAnswer: 'For an answer',
  grading: 'Grading',

  used: {
    title: (dataset: string) => `What this run used · ${dataset}`,
    about: USE_NOTE,
  },

  budget: {
    title: (dataset: string) => `Facts found by text handed over · ${dataset}`,
    about: (budget: string) =>
      `This run: ${budget}. Computed from the stored contexts, in each approach's own order; in parentheses the share of questions of which all facts are found; a line and its figures end where half of the answers had no more text.`,
    handedOver: 'Text handed over (tokens)',
    first: (tokens: string) => `First ${tokens}`,
    protocol: (dataset: string) => `What the approaches share · ${dataset}`,
    protocolAbout:
      'As the rows record it or, where they do not, as configured. What differs may explain a difference as well as the way of retrieving.',
    part: 'Part',
    equal: 'Equal',
    values: 'Values',
  },

  figures: 'The figures of the approaches',
  overRungs: (metric: string) => `${metric} by level`,

  hops: {
    title: (metric: string, dataset: string) => `${metric} by number of hops · ${dataset}`,
    hops: (hops: number) => plural(hops, 'hop'),
    figure: (model: string, hops: string, mean: string, n: string, expected: string) =>
      `${model}, ${hops}: ${mean}, ${n}/${expected}`,
    about: (few: number) =>
      `Hops: facts that a question joins. Differences within a number of hops are not tested; a pale marker rests on fewer than ${few} questions.`,
  },

  differ: {
    title: (metric: string) => `Where they differ most, by ${metric}`,
    what: 'The questions on which approaches differ',
    approaches: (equal: number) => plural(equal, 'approach', 'approaches'),
    inMatrix: 'All questions in the matrix',
  },

  expectations: {
    what: 'The questions',
    question: 'Question',
    expected: 'Expected best',
    notNamed: 'not named',
    all: (shown: number) => `all ${shown}`,
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
