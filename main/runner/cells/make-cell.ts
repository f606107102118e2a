import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { TraceLevel } from '../../../contract/evidence/trace.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { waitedFor } from '../../../core/http/pace-exchange.ts'
import { calledAlias } from '../../../core/matched-hybrid.ts'
import { evaluationDisabled } from '../../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import type { ClaimOutcome } from '../../evidence/evidence-log.ts'
import { gradedUnder, identityConflict } from '../../evidence/rows/conditions.ts'
import { CellRecorder } from '../../evidence/traces/cell-recorder.ts'
import type { TraceTexts } from '../../evidence/traces/trace-texts.ts'
import type { GatewayClient } from '../../lib/services/gateway-client.ts'
import { pacesFolder } from '../../manifests/models/model-records.ts'
import { buildRow, cellFinished, evaluateRow, withEvaluation, type RowContext } from './build-row.ts'
import type { CorpusGuard } from '../ingestion/corpus-guard.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { ResumeConflictError } from './open-evidence.ts'
import { cellIdentity, type LadderCell } from './ladder-cells.ts'
import type { RetriedCells } from './retried-cells.ts'
import { callApproach, type CellCall } from './call-approach.ts'
import type { RunLog } from './run-conditions.ts'

/** A dataset run whose platform answers and whose evidence is open. */
export interface OpenRun {
  run: DatasetRun
  /** Base address of the gateway. */
  url: string
  opened: RunLog
  gateway: GatewayClient
  /** Null leaves every cell's evaluation `disabled`. */
  evaluator: EvaluatorClient | null
  /** Resolves when the gateway's process works; throws when it has failed for good. */
  ready: () => Promise<void>
  /** Null where the platform cannot report which corpus its answers come from. */
  corpus: CorpusGuard | null
  /** Cells that failed in an earlier run, and which of them are tried again. */
  retries: RetriedCells
  /** States how much of its calls each cell keeps, and where their texts go. */
  trace: { level: TraceLevel; texts: TraceTexts }
}

/**
 * One cell, from its claim to its durable row. Null when the run was stopped during the call: the cell is made again on resume. `takenAt` is when
 * its turn came, of the monotonic clock.
 */
export async function makeCell(
  open: OpenRun,
  cell: LadderCell,
  outcome: ClaimOutcome,
  takenAt: number,
): Promise<CanonicalRow | null> {
  const { run, opened, evaluator } = open
  // 1. Claim: the cell is this process's own, or another process has stored its row since the plan.
  if (outcome.outcome === 'stored') return takeOverRow(open, cell, outcome.row)
  const { claim } = outcome
  let appended = false
  try {
    run.emit({ type: 'cell.started', ...namesOf(open, cell) })
    const ungraded = outcome.answered === null ? await ungradedAnswer(open, cell) : null
    const stored = outcome.answered ?? ungraded
    const answered =
      stored === null
        ? null
        : { ...stored, reproducibility: gradedUnder(stored.reproducibility, opened.reproducibility) }
    let row = answered
    const recorder = new CellRecorder(open.trace.level, answered?.trace)
    let leftOut: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
    if (row === null) {
      // 2. Call the approach, unless an earlier process kept its answer.
      const queueMs = performance.now() - takenAt
      const answer = await callApproach(open.gateway, { ...callOf(open, cell), recorder })
      if (!answer.ok && answer.error.type === 'cancelled') return null
      row = buildRow(contextOf(open), cell, answer, queueMs, new Date(), recorder.trace())
      leftOut = open.trace.texts.add(recorder.takeTexts())
      if (answer.ok) await open.corpus?.confirm()
      // 3. Keep the answer before its evaluation, so that a crash in between costs no second call.
      if (row.evidence !== null && evaluator !== null && run.metrics.length > 0) await opened.log.keepAnswer(claim, row)
    }
    // 4. Evaluate the answer.
    const scored = await evaluated(open, row, recorder)
    const missing = [await leftOut, await open.trace.texts.add(recorder.takeTexts())]
    const made = { ...scored, trace: recorder.trace(new Set(missing.flatMap((some) => [...some]))) }
    // 5. Append the row: only then is the cell made. A grading that is refused again by the same words has its row.
    if (made.grading_refused === true && made.metrics.ragas.error === ungraded?.metrics.ragas.error) {
      run.emit(cellFinished(made, true))
      return made
    }
    await opened.log.append(claim, made)
    appended = true
    run.emit(cellFinished(made, false))
    return made
  } finally {
    if (!appended) await opened.log.release(claim)
  }
}

/** A row that another runner made is taken over only as a row of the same question and approach. */
function takeOverRow(open: OpenRun, cell: LadderCell, row: CanonicalRow): CanonicalRow {
  const { run, opened } = open
  const { reproducibility } = opened
  const conflict = identityConflict(row, cellIdentity(cell, reproducibility.runtime.gateway, reproducibility))
  if (conflict !== null) throw new ResumeConflictError(opened.log.file, [conflict])
  explain(open, cell, 'reused', 'another process stored its row after this run was planned')
  run.emit(cellFinished(row, true))
  return row
}

/** The row that grades a stored answer again, its evaluation still to come; null for any other cell. */
async function ungradedAnswer({ opened, retries }: OpenRun, cell: LadderCell): Promise<CanonicalRow | null> {
  const stored = retries.answerOf(cell.cellId)
  const row = stored === null ? null : await opened.log.read(stored)
  return row === null ? null : { ...row, row_id: cell.rowId, retry: cell.retry }
}

function callOf(open: OpenRun, cell: LadderCell): CellCall {
  const { run, opened, ready } = open
  const { retries, timeout_s: timeoutS } = run.experiment.evaluation.run
  return {
    model: calledAlias(cell.alias),
    query: cell.question.query,
    capability: cell.alias.evidence,
    contextBudget: cell.alias.calls?.contextBudget ?? opened.reproducibility.runtime.context_budget ?? null,
    timeoutMs: timeoutS * 1000,
    retries,
    signal: run.abort,
    ready,
    waitsFor: (sinceMs) => waitedFor(pacesFolder(run.experiment.root), sinceMs),
    onRetry: (reason) => explain(open, cell, 'retried', reason),
  }
}

const contextOf = ({ run, opened: { reproducibility } }: OpenRun): RowContext => ({
  runId: run.runId,
  dataset: run.dataset,
  provider: reproducibility.runtime.gateway,
  reproducibility,
  metrics: run.metrics,
  judgePanel: run.experiment.evaluation.metrics.judge_panel.enabled,
})

async function evaluated(
  { run, evaluator }: OpenRun,
  row: CanonicalRow,
  recorder: CellRecorder,
): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  if (evaluator === null || run.metrics.length === 0) return withEvaluation(row, evaluationDisabled(run.metrics))
  return withEvaluation(row, await evaluateRow(evaluator, run.metrics, row, row.evidence, recorder, run.abort))
}

const namesOf = ({ run }: OpenRun, cell: LadderCell) => ({
  dataset_id: run.dataset.dataset.id,
  row_id: cell.rowId,
  question_id: cell.question.id,
  model: cell.alias.alias,
})

export type Explained = Extract<RunEvent, { type: 'cell.explained' }>

/** Reports why a cell is not simply called once, where the run was asked to. */
export function explain(open: OpenRun, cell: LadderCell, action: Explained['action'], reason: string): void {
  if (open.run.isVerbose) open.run.emit({ type: 'cell.explained', ...namesOf(open, cell), action, reason })
}
