import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { MissingColumn } from '../../../contract/evidence/missing-column.ts'
import { missingColumns, missingWords } from '../../../core/evidence/missing-columns.ts'
import { measuredLevel } from '../../evaluation/measured-level.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { summaryContextOfRun, type RunSummaryContext } from '../../report/aggregate/run-summary.ts'
import { plural } from '../../../contract/words.ts'
import { writeArtifacts } from '../../report/publication/write-artifacts.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { tunedApproaches } from '../tuning/tuned-approaches.ts'
import { failureOf, type At } from '../ladder-step.ts'
import { bringToFile, openEvidence, placeOf } from '../cells/open-evidence.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

/** Returns what a run was asked for, as its summary keeps it. */
export async function contextOf(run: DatasetRun): Promise<RunSummaryContext> {
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
    measuredLevel: await measuredLevel(run.experiment.root, dataset),
    tuned: await tunedApproaches(run.experiment, dataset, aliases),
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

/** Selected cells have no good answer. */
class CellsFailedError extends Error {
  override readonly name = 'CellsFailedError'
  readonly code = 'cells_failed'
}

const selectedOf = ({ approaches }: Aggregate) => approaches.filter(({ selected }) => selected)

/** Returns how many selected cells have no good answer. */
const unansweredCells = (aggregate: Aggregate): number =>
  selectedOf(aggregate).reduce((sum, { cells }) => sum + cells.expected - cells.ok, 0)

/** The approaches with cells that failed, most first, each with what failed: `hybrid-rag 4 of 4 (http error)`. */
function failedWords(aggregate: Aggregate): string {
  return selectedOf(aggregate)
    .filter(({ cells }) => cells.ok < cells.expected)
    .toSorted((a, b) => b.cells.expected - b.cells.ok - (a.cells.expected - a.cells.ok))
    .map(({ model, cells: { expected, ok, failures_by_type: types } }) => {
      const names = Object.keys(types).map((type) => type.replaceAll('_', ' '))
      return `${model} ${expected - ok} of ${expected}${names.length === 0 ? '' : ` (${names.join(', ')})`}`
    })
    .join('; ')
}

/** Describes what a run lacks after its cells: answers, and graded metrics without a single score. */
export interface Unfinished {
  unanswered: number
  missing: MissingColumn[]
}

/**
 * Steps 7 and 8, of a ladder and of a matrix alike: matrix and summary from the evidence, and whether every cell has its answer. Cells without one
 * fail step 8, and the run goes on to its summary.
 */
export async function sumUpCells(run: DatasetRun, context: RunSummaryContext, at: At): Promise<Unfinished> {
  let unanswered = 0
  let failed = ''
  const missing = await at('evaluate', async () => {
    const aggregate = await summarize(run, context)
    unanswered = unansweredCells(aggregate)
    failed = failedWords(aggregate)
    const columns = missingColumns(aggregate)
    const note = columns.length === 0 ? 'each answer was scored as soon as it was kept' : missingWords(columns)
    return { result: columns, note, missing: columns }
  })
  const check = at('check_cells', async () => {
    if (unanswered === 0) return { result: null, note: 'every question is answered' }
    const remedy = remedyFor({
      panel: 'Each failed answer shows its reason; retry the failed answers',
      commandLine: 'Rows of the evidence hold the reasons; start the run again with --no-cold-reset --retry-failed',
    })
    const message = `${plural(unanswered, 'answer')} failed: ${failed}. ${remedy}`
    throw new CellsFailedError(message)
  })
  await failureOf(check, (cause) => cause instanceof CellsFailedError)
  return { unanswered, missing }
}
