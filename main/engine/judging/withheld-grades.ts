import { metricNamed } from '../../../contract/metrics/metrics.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import type { OtherCell } from '../../../contract/control/cells.ts'
import type { RunResult } from '../../../contract/control/comparison.ts'
import type { MatrixPage } from '../../../contract/control/run-index/matrix-page.ts'
import type { RunSummary } from '../../../contract/control/run-index/runs.ts'
import { ControlFailure } from '../control-failure.ts'
import type { BlindJudging } from './blind-judging.ts'

// While a person grades a run blindly, no page shows what the judges gave its answers: a grader who has seen a grade grades it, not the answer.
// Everything that the control API gives of a dataset run passes through here.

/** Returns true when what the judges gave is withheld from the answers about this dataset run. */
type IsWithheld = (runId: string, datasetId: string) => Promise<boolean>

export const withheldBy =
  (judging: Pick<BlindJudging, 'state'>): IsWithheld =>
  async (run_id, dataset_id) =>
    (await judging.state({ run_id, dataset_id })).round === 'open'

const refusal = (run: string, dataset: string): ControlFailure =>
  new ControlFailure(
    'not_revealed',
    `A blind round on ${run}, ${dataset} is open: the grades of its judges are hidden until you reveal the approaches in the tab Judges`,
  )

/** Throws `not_revealed` for a question about the judges' grades of runs of which one is graded blindly. `datasets`: of every run, or of each. */
export async function refuseGrades(
  isWithheld: IsWithheld,
  metric: string,
  runs: readonly string[],
  datasets: readonly string[] | ((run: string) => Promise<string[]>),
): Promise<void> {
  if (metric !== judgeMean.id) return
  for (const run of runs)
    for (const dataset of typeof datasets === 'function' ? await datasets(run) : datasets)
      if (await isWithheld(run, dataset)) throw refusal(run, dataset)
}

/** Throws `not_revealed` for a file that would contain the grades of datasets of which one is graded blindly. */
export async function refuseExport(isWithheld: IsWithheld, run: string, datasets: readonly string[]): Promise<void> {
  for (const dataset of datasets)
    if (await isWithheld(run, dataset))
      throw new ControlFailure(
        'not_revealed',
        `Cannot export ${run}: a blinded round on its dataset ${dataset} is open, and the file would contain the grades of the judges. Reveal the approaches in the tab Judges first.`,
      )
}

export const pageWithoutGrades = (page: MatrixPage): MatrixPage => ({
  ...page,
  rows: page.rows.map((row) => ({
    ...row,
    observed_winner: null,
    cells: row.cells.map((cell) => (cell === null ? null : { ...cell, judge_mean: null })),
  })),
})

/** In place of what a cell has of its judges. */
export const NO_GRADES = { verdicts: [], judging: null }

export const othersWithoutGrades = (cells: readonly OtherCell[]): OtherCell[] =>
  cells.map((cell) => ({ ...cell, judge_mean: null }))

export async function summaryWithoutGrades(summary: RunSummary, isWithheld: IsWithheld): Promise<RunSummary> {
  const datasets = await Promise.all(
    summary.datasets.map(async (dataset) =>
      (await isWithheld(summary.run_id, dataset.dataset_id))
        ? { ...dataset, metrics: dataset.metrics.filter((metric) => metric !== judgeMean.id) }
        : dataset,
    ),
  )
  return { ...summary, datasets }
}

/** Throws `not_revealed` where the result itself is what the judges gave. */
export async function checkedResult(runId: string, result: RunResult, isWithheld: IsWithheld): Promise<RunResult> {
  for (const { metric, dataset } of result.verdicts)
    await refuseGrades(isWithheld, metricNamed(metric ?? '')?.id ?? '', [runId], [dataset])
  return result
}
