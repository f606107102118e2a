import type { Aggregate } from '../../contract/index.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import { summaryContextOfRun, type RunSummaryContext } from '../report/run-summary.ts'
import { plural } from '../../contract/words.ts'
import { writeArtifacts } from '../report/write-artifacts.ts'
import type { DatasetRun } from './dataset-run.ts'
import { EvaluationFailedError, evaluationFailure } from './evaluation-failed.ts'
import { failureOf, type At, type StepFailedError } from './ladder-step.ts'
import { bringToFile, openEvidence, placeOf } from './open-evidence.ts'

/** What a run was asked for, as its summary keeps it. */
export function contextOf(run: DatasetRun): RunSummaryContext {
  const { runId, dataset, aliases, unavailable = [], metrics, repeats } = run
  const panel = run.experiment.evaluation.metrics.judge_panel
  return summaryContextOfRun({
    runId,
    dataset,
    aliases: [...aliases, ...unavailable.map(({ alias }) => alias)],
    metrics,
    repeats,
    unavailable,
    judge: panel.enabled
      ? {
          state: 'pending',
          judges: panel.models,
        }
      : { state: 'disabled' },
  })
}

/** Matrix and first summary from the durable rows. */
async function summarize(run: DatasetRun, context: RunSummaryContext): Promise<Aggregate> {
  const { files, store, abort, emit } = run
  if (store.database !== null) {
    await bringToFile(run)
    return (await writeArtifacts(files, readEvidenceRows(files.evidence), context)).aggregate
  }
  const log = await openEvidence({ ...placeOf(run), store, create: false, signal: abort, emit })
  try {
    return (await writeArtifacts(files, log.rows(), context)).aggregate
  } finally {
    await log.close()
  }
}

/** How many selected cells have no good answer. */
const unansweredCells = ({ approaches }: Aggregate): number =>
  approaches.filter(({ selected }) => selected).reduce((sum, { cells }) => sum + cells.expected - cells.ok, 0)

/** What remains to be reported of the cells: those without an answer, and an evaluation that failed as a whole. */
export interface Unfinished {
  unanswered: number
  evaluation: StepFailedError | null
}

/** Steps 7 and 8, of a ladder and of a matrix alike: matrix and summary from the evidence, and whether every cell has its answer. */
export async function sumUpCells(run: DatasetRun, context: RunSummaryContext, at: At): Promise<Unfinished> {
  let unanswered = 0
  const evaluation = await failureOf(
    at('evaluate', async () => {
      const aggregate = await summarize(run, context)
      unanswered = unansweredCells(aggregate)
      const failure = evaluationFailure(aggregate)
      if (failure !== null) throw failure
      return { result: null, note: 'each answer was scored as soon as it was kept' }
    }),
    (cause) => cause instanceof EvaluationFailedError,
  )
  await at('check_cells', async () => ({
    result: null,
    note:
      unanswered === 0
        ? 'every selected cell answered'
        : `${plural(unanswered, 'cell')} without an answer: their rows in the evidence hold the reasons`,
  }))
  return { unanswered, evaluation }
}
