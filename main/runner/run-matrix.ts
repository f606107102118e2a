import type { CanonicalRow, RunEvent, RunPlan } from '../../contract/index.ts'
import { evaluationDisabled } from '../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../evaluation/evaluator-client.ts'
import type { CellClaim, EvidenceLog } from '../evidence/evidence-log.ts'
import { identityConflict } from '../evidence/row-identity.ts'
import type { Alias } from '../manifests/experiment.ts'
import { buildRow, withEvaluation, type RowContext } from './build-row.ts'
import type { GatewayClient } from '../lib/gateway-client.ts'
import { cellIdentity, plannedCells, type PlannedCell } from './plan-cells.ts'
import { ResumeConflictError } from './resume-error.ts'
import { runCell } from './run-cell.ts'

export interface MatrixRun extends RowContext {
  aliases: readonly Alias[]
  repeats: number
  log: EvidenceLog
  gateway: GatewayClient
  /** Null leaves every cell's evaluation `disabled`. */
  evaluator: EvaluatorClient | null
  settings: { concurrency: number; timeoutMs: number; retries: number; seed: string }
  emit: (event: RunEvent) => void
  /** Whether to report why a cell is reused, skipped or tried again. */
  isVerbose: boolean
  /** Resolves when the gateway's process works; throws when it has been given up. */
  ready: () => Promise<void>
  /** Resolves when an answer that has come is of the corpus that its row will name; null where nobody can say. */
  confirmCorpus: (() => Promise<void>) | null
  /** Raised to let the cells in flight finish and start no more. */
  drain: AbortSignal
  /** Raised to give up the cells in flight too; they are not recorded and run again on resume. */
  abort: AbortSignal
}

export interface MatrixOutcome {
  ok: number
  failed: number
  /** Cells that were neither reused nor finished because the run was stopped. */
  left: number
}

/** What a run made of its cells, in a few words. */
export function cellsNote({ ok, failed, left }: MatrixOutcome): string {
  if (ok + failed + left === 0) return 'every cell was there already'
  return `${ok} answered, ${failed} failed now${left > 0 ? `, ${left} left` : ''}`
}

const cellsOf = (run: MatrixRun): Generator<PlannedCell> =>
  plannedCells({
    runId: run.runId,
    dataset: run.dataset,
    aliases: run.aliases,
    repeats: run.repeats,
    seed: run.settings.seed,
  })

type Explained = Extract<RunEvent, { type: 'cell.explained' }>

function explain(run: MatrixRun, cell: PlannedCell, action: Explained['action'], reason: string): void {
  if (!run.isVerbose) return
  run.emit({
    type: 'cell.explained',
    dataset_id: run.dataset.dataset.id,
    row_id: cell.rowId,
    question_id: cell.question.id,
    model: cell.alias.alias,
    action,
    reason,
  })
}

function explainAll(run: MatrixRun, rowIds: ReadonlySet<string>, action: Explained['action'], reason: string): void {
  if (!run.isVerbose || rowIds.size === 0) return
  for (const cell of cellsOf(run)) if (rowIds.has(cell.rowId)) explain(run, cell, action, reason)
}

/** What the run would do, without a call: reuse, evaluate a kept answer, call, or refuse because of a conflict. */
export async function planMatrix(run: MatrixRun): Promise<{ plan: RunPlan; todo: Set<string> }> {
  function* identities() {
    for (const cell of cellsOf(run)) yield cellIdentity(cell, run.provider, run.reproducibility)
  }
  const resume = await run.log.plan(identities())
  explainAll(run, new Set(resume.reuse), 'reused', 'its row is stored, made under the same conditions')
  explainAll(run, new Set(resume.answered), 'reused', 'its answer is kept from before the run stopped, and only scored')
  const plan: RunPlan = {
    dataset_id: run.dataset.dataset.id,
    total: run.dataset.questions.length * run.aliases.length * run.repeats,
    reuse: resume.reuse.length,
    run: resume.run.length,
    resume_answered: resume.answered.length,
    conflicts: resume.conflicts,
    unavailable: [],
  }
  return { plan, todo: new Set([...resume.run, ...resume.answered]) }
}

async function evaluated(run: MatrixRun, row: CanonicalRow): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  if (run.evaluator === null || run.metrics.length === 0) return withEvaluation(row, evaluationDisabled(run.metrics))
  const { evidence, question } = row
  const result = await run.evaluator.evaluate(
    run.metrics,
    {
      question: question.query,
      answer: evidence.answer,
      contexts: evidence.contexts,
      groundTruth: question.ground_truth,
    },
    { row_id: row.row_id, run_id: row.run_id, dataset_id: row.dataset.id },
    run.abort,
  )
  return withEvaluation(row, result)
}

/** Calls the alias and keeps the answer; null when the run was given up meanwhile. */
async function answered(
  run: MatrixRun,
  cell: PlannedCell,
  claim: CellClaim,
  takenAt: number,
): Promise<CanonicalRow | null> {
  const queueMs = performance.now() - takenAt
  const answer = await runCell(run.gateway, {
    model: cell.alias.alias,
    query: cell.question.query,
    capability: cell.alias.evidence,
    timeoutMs: run.settings.timeoutMs,
    retries: run.settings.retries,
    signal: run.abort,
    ready: run.ready,
    onRetry: (reason) => explain(run, cell, 'retried', reason),
  })
  if (!answer.ok && answer.error.type === 'cancelled') return null
  const finishedAt = new Date()
  if (answer.ok) await run.confirmCorpus?.()
  const row = buildRow(run, cell, answer, queueMs, finishedAt)
  if (row.evidence !== null && run.evaluator !== null && run.metrics.length > 0) await run.log.keepAnswer(claim, row)
  return row
}

function finished(run: MatrixRun, row: CanonicalRow, reused: boolean): RunEvent {
  return {
    type: 'cell.finished',
    dataset_id: run.dataset.dataset.id,
    row_id: row.row_id,
    question_id: row.question.id,
    model: row.approach.model,
    status: row.status,
    error_type: row.error?.type ?? null,
    evaluation: row.metrics.ragas.status,
    latency_ms: row.metrics.operational.latency_ms,
    reused,
  }
}

async function makeCell(run: MatrixRun, cell: PlannedCell, stop: AbortSignal): Promise<CanonicalRow | null> {
  const takenAt = performance.now()
  const outcome = await run.log.claim(cell.rowId, stop)
  if (outcome.outcome === 'stored') {
    // Another runner made it since the plan: it is taken over only as a row of the same question and approach.
    const conflict = identityConflict(outcome.row, cellIdentity(cell, run.provider, run.reproducibility))
    if (conflict !== null) throw new ResumeConflictError(run.log.file, [conflict])
    explain(run, cell, 'reused', 'another process stored its row after this run was planned')
    run.emit(finished(run, outcome.row, true))
    return outcome.row
  }
  const { claim } = outcome
  let appended = false
  try {
    const dataset_id = run.dataset.dataset.id
    run.emit({
      type: 'cell.started',
      dataset_id,
      row_id: cell.rowId,
      question_id: cell.question.id,
      model: cell.alias.alias,
    })
    const kept = outcome.answered ?? (await answered(run, cell, claim, takenAt))
    if (kept === null) return null
    const row = await evaluated(run, kept)
    await run.log.append(claim, row)
    appended = true
    run.emit(finished(run, row, false))
    return row
  } finally {
    if (!appended) await run.log.release(claim)
  }
}

const stopped = (run: MatrixRun): boolean => run.drain.aborted || run.abort.aborted

/**
 * Makes every cell of `todo`, each durable before its event. Stops early when drained; throws what makes the log itself unusable,
 * such as a failed sync, after the other cells in flight have ended.
 */
export async function runMatrix(run: MatrixRun, todo: ReadonlySet<string>): Promise<MatrixOutcome> {
  const cells = cellsOf(run)
  const stop = AbortSignal.any([run.abort, run.drain])
  const outcome = { ok: 0, failed: 0 }
  const fatal: Error[] = []
  const left = new Set(todo)

  async function worker(): Promise<void> {
    for (const cell of cells) {
      if (!todo.has(cell.rowId)) continue
      if (stopped(run) || fatal.length > 0) return
      const row = await makeCell(run, cell, stop)
      if (row === null) return
      left.delete(cell.rowId)
      outcome[row.status === 'ok' ? 'ok' : 'failed'] += 1
    }
  }

  const workers = Array.from({ length: run.settings.concurrency }, () =>
    worker().catch((error: unknown) => {
      if (!stopped(run)) fatal.push(error instanceof Error ? error : new Error('the run failed', { cause: error }))
    }),
  )
  await Promise.all(workers)
  const why = fatal[0] === undefined ? 'the run was stopped' : `the run failed: ${fatal[0].message}`
  explainAll(run, left, 'skipped', why)
  if (fatal[0] !== undefined) throw fatal[0]
  return { ...outcome, left: left.size }
}
