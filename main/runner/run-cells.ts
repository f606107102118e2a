import type { CanonicalRow, RunEvent, RunPlan } from '../../contract/index.ts'
import { evaluationDisabled } from '../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../evaluation/evaluator-client.ts'
import { EvidenceError } from '../evidence/errors.ts'
import type { CellClaim, ClaimOutcome } from '../evidence/evidence-log.ts'
import { fileStore } from '../evidence/evidence-store.ts'
import { identityConflict } from '../evidence/row-identity.ts'
import { createGatewayClient, type GatewayClient } from '../lib/gateway-client.ts'
import { buildRow, withEvaluation, type RowContext } from './build-row.ts'
import type { CorpusGuard } from './corpus-guard.ts'
import { evaluatorOf, type ServedDataset } from './dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { AccessRefusals } from './access-refusals.ts'
import { placeOf, ResumeConflictError } from './open-evidence.ts'
import { cellIdentity, plannedCells, type PlannedCell } from './plan-cells.ts'
import { plannedCounts } from './plan-dataset.ts'
import { planRetries, type RetryPlan } from './retried-cells.ts'
import { runCell } from './run-cell.ts'
import type { RunLog } from './run-conditions.ts'

// Step 6: the cells of a dataset run. The plan compares every cell with what is stored; each cell that is left is then claimed across
// processes, called, its answer kept, evaluated, and its row appended. A cell counts as made when its row is durable.

/** A dataset run whose platform answers and whose evidence is open. */
interface OpenRun {
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
  retries: RetryPlan
}

export interface CellCounts {
  ok: number
  failed: number
  /** Cells that were neither reused nor finished because the run was stopped. */
  left: number
}

/** What a run made of its cells, in a few words. */
export function cellsNote({ ok, failed, left }: CellCounts): string {
  if (ok + failed + left === 0) return 'every cell was there already'
  return `${ok} answered, ${failed} failed${left > 0 ? `, ${left} to go` : ''}`
}

/** Plans the cells and makes what is missing. Throws `ResumeConflictError` before any call, and what makes the log unusable. */
export async function runCells(
  run: DatasetRun,
  served: ServedDataset,
  opened: RunLog,
  corpus: CorpusGuard | null,
): Promise<CellCounts> {
  const gateway = createGatewayClient(served)
  const evaluator = evaluatorOf(run, served)
  // A worker makes cells; the copy is for who shows the run.
  const following = (run.isWorker === true ? fileStore : run.store).follow(placeOf(run), (message) =>
    run.emit({ type: 'notice', level: 'warning', message }),
  )
  try {
    if (run.budget !== null) for await (const row of opened.log.rows()) run.budget.add(row)
    const retries = await planRetries(opened.log, run.retryFailed)
    const open: OpenRun = { run, url: served.url, opened, gateway, evaluator, ready: served.ready, corpus, retries }
    const { plan, todo } = await planned(open)
    run.emit({ type: 'plan.ready', plan })
    if (plan.conflicts.length > 0) throw new ResumeConflictError(opened.log.file, plan.conflicts)
    return await makeCells(open, todo)
  } finally {
    await Promise.all([gateway.close(), evaluator?.close(), following.stop()])
  }
}

const cellsOf = ({
  run: { runId, dataset, aliases, repeats, experiment },
  retries: { retryOf },
}: OpenRun): Generator<PlannedCell> =>
  plannedCells({ runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf })

/** The cells from a random one on, and those before it then: workers that start together do not ask for the same ones. */
function* cellsFromAnywhere(open: OpenRun, count: number): Generator<PlannedCell> {
  const start = Math.floor(Math.random() * count)
  yield* cellsOf(open).drop(start)
  yield* cellsOf(open).take(start)
}

const identityOf = ({ opened: { reproducibility } }: OpenRun, cell: PlannedCell) =>
  cellIdentity(cell, reproducibility.runtime.gateway, reproducibility)

/** What the run would do, without a call: reuse, evaluate a kept answer, call, or refuse because of a conflict. */
async function planned(open: OpenRun): Promise<{ plan: RunPlan; todo: Set<string> }> {
  const { dataset, aliases, unavailable = [], repeats } = open.run
  function* identities() {
    for (const cell of cellsOf(open)) yield identityOf(open, cell)
  }
  const resume = await open.opened.log.plan(identities())
  explainAll(open, new Set(resume.reuse), 'reused', 'its row is stored, made under the same conditions')
  explainAll(
    open,
    new Set(resume.answered),
    'reused',
    'its answer is kept from before the run stopped, and only scored',
  )
  const plan: RunPlan = {
    dataset_id: dataset.dataset.id,
    total: dataset.questions.length * aliases.length * repeats,
    ...plannedCounts(resume, open.retries.count(cellsOf(open).map((cell) => cell.cellId))),
    unavailable: unavailable.map(({ alias, reason }) => ({ model: alias.alias, reason })),
  }
  return { plan, todo: new Set([...resume.run, ...resume.answered]) }
}

/**
 * Makes every cell of `todo`, each durable before its event. Stops early when drained; throws what makes the log itself unusable,
 * such as a failed sync, after the other cells in flight have ended.
 */
async function makeCells(open: OpenRun, todo: ReadonlySet<string>): Promise<CellCounts> {
  const { run } = open
  const { drain, abort, experiment, isWorker = false } = run
  const cells = isWorker ? cellsFromAnywhere(open, todo.size) : cellsOf(open)
  const stop = AbortSignal.any([abort, drain])
  const counts = { ok: 0, failed: 0 }
  const left = new Set(todo)
  const fatal: Error[] = []
  const refusals = new AccessRefusals(open.url)

  /** False when the run was stopped during the call. A cell whose claim was lost meanwhile is looked at again at the end. */
  async function make(cell: PlannedCell, claimed: ClaimOutcome, takenAt: number): Promise<boolean> {
    const row = await makeCell(open, cell, claimed, takenAt).catch((error: unknown) => {
      if (!isLeftToOthers(error)) throw error
      elsewhere.push(cell)
      explain(open, cell, 'skipped', 'its claim was lost with the connection; another process may make it')
      return undefined
    })
    if (row === undefined) return true
    if (row === null) return false
    left.delete(cell.rowId)
    counts[row.status === 'ok' ? 'ok' : 'failed'] += 1
    refusals.add(row)
    run.budget?.add(row)
    return true
  }

  const isStopped = (): boolean => stop.aborted || fatal.length > 0
  const { log } = open.opened
  /** Cells that other processes make: they are looked at again at the end, in case one of these dies. */
  const elsewhere: PlannedCell[] = []

  async function worker(): Promise<void> {
    for (const cell of cells) {
      if (!todo.has(cell.rowId)) continue
      if (isStopped()) return
      if (isWorker && log.isStored(cell.rowId)) {
        left.delete(cell.rowId)
        continue
      }
      const takenAt = performance.now()
      const attempt = await log.tryClaim(cell.rowId)
      if (attempt.outcome === 'held') elsewhere.push(cell)
      else if (!(await make(cell, attempt, takenAt))) return
    }
    for (let cell = elsewhere.shift(); cell !== undefined && !isStopped(); cell = elsewhere.shift()) {
      const takenAt = performance.now()
      if (!(await make(cell, await log.claim(cell.rowId, stop), takenAt))) return
    }
  }

  const workers = Array.from({ length: experiment.evaluation.run.concurrency }, () =>
    worker().catch((error: unknown) => {
      if (!stop.aborted) fatal.push(error instanceof Error ? error : new Error('the run failed', { cause: error }))
    }),
  )
  await Promise.all(workers)
  const why = fatal[0] === undefined ? 'the run was stopped' : `the run failed: ${fatal[0].message}`
  explainAll(open, left, 'skipped', why)
  if (fatal[0] !== undefined) throw fatal[0]
  return { ...counts, left: left.size }
}

/** The connection to the database broke while a cell was made, and another process has claimed or stored it since. */
const isLeftToOthers = (error: unknown): boolean =>
  error instanceof EvidenceError && (error.code === 'claim_lost' || error.code === 'already_stored')

/** Null when the run was stopped during the call: the cell is made again on resume. */
async function makeCell(
  open: OpenRun,
  cell: PlannedCell,
  outcome: ClaimOutcome,
  takenAt: number,
): Promise<CanonicalRow | null> {
  const { run, opened } = open
  if (outcome.outcome === 'stored') {
    // Another runner made it since the plan: it is taken over only as a row of the same question and approach.
    const conflict = identityConflict(outcome.row, identityOf(open, cell))
    if (conflict !== null) throw new ResumeConflictError(opened.log.file, [conflict])
    explain(open, cell, 'reused', 'another process stored its row after this run was planned')
    run.emit(finished(run, outcome.row, true))
    return outcome.row
  }
  const { claim } = outcome
  let appended = false
  try {
    run.emit({ type: 'cell.started', ...namesOf(open, cell) })
    const kept = outcome.answered ?? (await answered(open, cell, claim, takenAt))
    if (kept === null) return null
    const row = await evaluated(open, kept)
    await opened.log.append(claim, row)
    appended = true
    run.emit(finished(run, row, false))
    return row
  } finally {
    if (!appended) await opened.log.release(claim)
  }
}

/** Calls the alias and keeps the answer; null when the run was stopped meanwhile. */
async function answered(
  open: OpenRun,
  cell: PlannedCell,
  claim: CellClaim,
  takenAt: number,
): Promise<CanonicalRow | null> {
  const { run, opened, gateway, evaluator, ready } = open
  const { run: settings, metrics } = run.experiment.evaluation
  const queueMs = performance.now() - takenAt
  const answer = await runCell(gateway, {
    model: cell.alias.alias,
    query: cell.question.query,
    capability: cell.alias.evidence,
    timeoutMs: settings.timeout_s * 1000,
    retries: settings.retries,
    signal: run.abort,
    ready,
    onRetry: (reason) => explain(open, cell, 'retried', reason),
  })
  if (!answer.ok && answer.error.type === 'cancelled') return null
  const finishedAt = new Date()
  if (answer.ok) await open.corpus?.confirm()
  const { reproducibility } = opened
  const context: RowContext = {
    runId: run.runId,
    dataset: run.dataset,
    provider: reproducibility.runtime.gateway,
    reproducibility,
    metrics: run.metrics,
    judgePanel: metrics.judge_panel.enabled,
  }
  const row = buildRow(context, cell, answer, queueMs, finishedAt)
  if (row.evidence !== null && evaluator !== null && run.metrics.length > 0) await opened.log.keepAnswer(claim, row)
  return row
}

async function evaluated({ run, evaluator }: OpenRun, row: CanonicalRow): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  if (evaluator === null || run.metrics.length === 0) return withEvaluation(row, evaluationDisabled(run.metrics))
  const { evidence, question } = row
  const result = await evaluator.evaluate(
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

const namesOf = ({ run }: OpenRun, cell: PlannedCell) => ({
  dataset_id: run.dataset.dataset.id,
  row_id: cell.rowId,
  question_id: cell.question.id,
  model: cell.alias.alias,
})

const finished = (run: DatasetRun, row: CanonicalRow, reused: boolean): RunEvent => ({
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
})

type Explained = Extract<RunEvent, { type: 'cell.explained' }>

/** Reports why a cell is not simply called once, where the run was asked to. */
function explain(open: OpenRun, cell: PlannedCell, action: Explained['action'], reason: string): void {
  if (open.run.isVerbose) open.run.emit({ type: 'cell.explained', ...namesOf(open, cell), action, reason })
}

function explainAll(open: OpenRun, rowIds: ReadonlySet<string>, action: Explained['action'], reason: string): void {
  if (!open.run.isVerbose || rowIds.size === 0) return
  for (const cell of cellsOf(open)) if (rowIds.has(cell.rowId)) explain(open, cell, action, reason)
}
