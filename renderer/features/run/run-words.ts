import { plural } from '../../components/format.ts'

/** The texts around the tabs of a run. */
export const RUN_WORDS = {
  run: 'Run',
  runs: 'Runs',
  theRun: 'The run',
  parts: 'Parts of the run',
  dataset: 'Dataset',
  counts: {
    answers: 'Answers on this dataset',
    judges: (judges: number, persons: number) =>
      `${plural(judges, 'model')} ${judges === 1 ? 'has' : 'have'} graded the answers${persons === 0 ? '' : ', and a person'}`,
    coverage: 'Measured share of the scores that can be measured',
  },
  approaches: (approaches: number) => plural(approaches, 'approach', 'approaches'),
  unknown: (run: string) => `No run is named ${run}`,
  unknownText: 'It was deleted or renamed, or the link is incomplete.',
  noAnswers: 'No answers yet',
  noAnswersText: 'Questions, answers and scores appear here as soon as the first answer is stored.',
  showProgress: 'Show progress',
  failedBefore: 'The run failed before its first answer',
  showRepair: 'Show what repairs it',
  showRuns: 'Show all runs',
  share: 'Share',
  exports: {
    report: 'Report, HTML',
    csv: 'Table, CSV: one line per approach and metric',
    cells: 'Answers, CSV: one line per question and approach',
    rows: 'All of each answer, JSONL',
    json: 'Aggregates, JSON',
  },
  picture: {
    item: (format: string) => `Picture of the verdict, ${format}`,
    about: (run: string, dataset: string) => `${run} · ${dataset}`,
    saving: 'Saving the picture',
    nothing: 'this run has no scores to draw',
    approach: 'Approach',
    interval: '95 % interval',
    n: 'n',
    latency: 'Median latency',
    calls: 'Model calls',
  },
  saved: (file: string) => `Saved ${file}`,
  theExport: 'The export',
  incomplete: 'the file ended before its last part',
  bundle: 'Bundle for another installation',
}
