import { plural } from '../../components/format.ts'

/** The texts around the tabs of a run. */
export const RUN_WORDS = {
  run: 'Run',
  runs: 'Runs',
  theRun: 'The run',
  parts: 'Parts of the run',
  dataset: 'Dataset',
  approaches: (approaches: number) => plural(approaches, 'approach', 'approaches'),
  unknown: (run: string) => `No run is named ${run}`,
  unknownText: 'It was deleted or renamed, or the link is incomplete.',
  noAnswers: 'No answers yet',
  noAnswersText: 'Questions, answers and scores appear here as soon as the first answer is stored.',
  showProgress: 'Show progress',
  showRuns: 'Show all runs',
  again: 'Run again',
  againAbout: 'Opens a new run with these settings under a new name',
  share: 'Share',
  exports: {
    report: 'Report, HTML',
    csv: 'Table, CSV: one line per approach and metric',
    cells: 'Answers, CSV: one line per question and approach',
    rows: 'All of each answer, JSONL',
    json: 'Aggregates, JSON',
  },
  saved: (file: string) => `Saved ${file}`,
  theExport: 'The export',
  incomplete: 'the file ended before its last part',
  bundle: 'Bundle for another installation',
}
