import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { missingWords } from '../../../core/evidence/missing-columns.ts'
import { JudgePanelError } from '../../judge/judge-error.ts'
import { readAggregate } from '../../report/publication/write-artifacts.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { joinJudgments, judgeDataset, storedContext } from './judge-dataset.ts'
import { step } from '../ladder-step.ts'
import { preflightJudges } from '../prepare/preflight.ts'
import type { DatasetOutcome } from '../run-dataset.ts'
import { runLadder, type LadderOutcome } from '../run-ladder.ts'

async function judgeStored(run: DatasetRun): Promise<DatasetOutcome> {
  const { files, runId, emit } = run
  const datasetId = run.dataset.dataset.id
  const context = await storedContext(files, runId, datasetId)
  const aggregate = await readAggregate(files.evaluation)
  const total = aggregate?.cells.expected ?? 0
  const reuse = total - (aggregate?.cells.missing ?? 0)
  emit({
    type: 'plan.ready',
    plan: { dataset_id: datasetId, total, reuse, run: 0, resume_answered: 0, conflicts: [], unavailable: [] },
  })
  const columns = await step(emit, datasetId, 'judge', async () => {
    await preflightJudges(run)
    const { judgments, missing, note } = await judgeDataset(run, context)
    if (judgments.status === 'error')
      throw new JudgePanelError('panel_failed', `no judge gave a verdict: ${missingWords(missing)}`)
    return { result: missing, note, missing }
  })
  await step(emit, datasetId, 'summarize', async () => ({ result: null, note: await joinJudgments(files, context) }))
  const cells = { ok: 0, failed: 0, left: 0 }
  return { datasetId, status: 'completed', cells, context, failure: null, columns, missing: null }
}

/** Asks the judges about the stored answers of a finished run, dataset after dataset; calls no approach and changes no row. */
export const judgeStoredRun = (runs: readonly DatasetRun[], emit: (event: RunEvent) => void): Promise<LadderOutcome> =>
  runLadder(runs, emit, judgeStored)
