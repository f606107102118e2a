import { DEFAULT_TRACE_LEVEL } from '../../../contract/evidence/trace.ts'
import type { RunPlan } from '../../../contract/evidence/run-event.ts'
import { plural } from '../../../contract/words.ts'
import { EvidenceError } from '../../evidence/errors.ts'
import type { ClaimOutcome, ResumePlan } from '../../evidence/evidence-log.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { TraceTexts } from '../../evidence/traces/trace-texts.ts'
import { createGatewayClient } from '../../lib/services/gateway-client.ts'
import { otherModelWords, pacesFolder } from '../../manifests/models/model-records.ts'
import { watchCorpus, type CorpusGuard } from '../ingestion/corpus-guard.ts'
import { evaluatorOf, type ServedDataset } from '../platform/dataset-platform.ts'
import type { PlatformClient } from '../platform/platform-client.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { AccessRefusals } from './access-refusals.ts'
import { explain, makeCell, type Explained, type OpenRun } from './make-cell.ts'
import { placeOf, ResumeConflictError } from './open-evidence.ts'
import { cellsInOrder, type CellPlan, type LadderCell } from './ladder-cells.ts'
import { countsOf, isPlanCurrent, planCells } from './plan-dataset.ts'
import { retriedCellsOf } from './retried-cells.ts'
import type { RunLog } from './run-conditions.ts'

// Step 6: the cells of a dataset run. The plan compares every cell with what is stored; each cell that is left is then made (make-cell.ts).

export interface CellCounts {
  ok: number
  failed: number
  /** Cells that were neither reused nor finished because the run was stopped. */
  left: number
}

/** Summarizes what happened to the cells of a run. */
function cellsNote({ ok, failed, left }: CellCounts): string {
  if (ok + failed + left === 0) return 'every answer was there already'
  return `${ok} answered, ${failed} failed${left > 0 ? `, ${left} to go` : ''}`
}

/** Plans the cells and makes what is missing. Throws `ResumeConflictError` before any call, and what makes the log unusable. */
export async function runCells(
  run: DatasetRun,
  served: ServedDataset & { client: PlatformClient },
  opened: RunLog,
): Promise<{ result: CellCounts; note: string }> {
  // 1. Watch the corpus that the answers come from.
  const corpus = await corpusOf(run, served, opened)
  const paces = run.platform.kind === 'external' ? { pacesDir: pacesFolder(run.experiment.root) } : {}
  const gateway = createGatewayClient({ ...served, ...paces })
  const evaluator = evaluatorOf(run, served)
  const texts = new TraceTexts(run.files.evidence)
  // A worker makes cells; the copy is for who shows the run.
  const following = (run.isWorker === true ? fileStore : run.store).follow(placeOf(run), (message) =>
    run.emit({ type: 'notice', level: 'warning', message }),
  )
  try {
    // 2. Read what is stored: what the budget has paid for already, and which cells failed.
    const retries = await retriedCellsOf(opened, run.retryFailed)
    if (run.budget !== null) for await (const row of opened.log.rows()) run.budget.add(row)
    const trace = { level: run.experiment.evaluation.run.trace ?? DEFAULT_TRACE_LEVEL, texts }
    const open: OpenRun = {
      run,
      url: served.url,
      opened,
      gateway,
      evaluator,
      ready: served.ready,
      corpus,
      retries,
      trace,
    }
    // 3. Plan: reuse, evaluate, call, or refuse because of a conflict.
    const { resume } = await currentPlan(open)
    const plan = reportOf(open, resume)
    run.emit({ type: 'plan.ready', plan })
    if (plan.conflicts.length > 0) throw new ResumeConflictError(opened.log.file, plan.conflicts)
    if (run.isWorker !== true) reportOutdated(open)
    // 4. Make the cells that are left.
    const result = await makeCells(open, new Set([...resume.run, ...resume.answered]))
    // 5. Name the models that were not those which the run asked for.
    if (result.ok > 0 && run.isWorker !== true) reportOtherModels(open)
    return { result, note: cellsNote(result) }
  } finally {
    await Promise.all([gateway.close(), evaluator?.close(), following.stop(), texts.close()])
  }
}

/** A run of fewer approaches or questions leaves failures of an earlier setting as they are. */
function reportOutdated(open: OpenRun): void {
  const { runId, dataset, emit } = open.run
  const count = open.retries.outdatedBeside(cellsOf(open).map((cell) => cell.cellId))
  if (count === 0) return
  const message = `${dataset.dataset.id}: ${plural(count, 'stored failure')} of ${runId} were not tried again, because their approaches or questions are not selected. A model was set otherwise then, and until they are tried again they count against their approaches in the results: resume the run with all of its approaches and questions`
  emit({ type: 'notice', level: 'warning', message })
}

function reportOtherModels({ run: { experiment, emit }, opened }: OpenRun): void {
  const { models } = opened.reproducibility.runtime
  const roles = models === null ? {} : (experiment.models.sets[models.set]?.roles ?? {})
  for (const message of otherModelWords(experiment.root, Object.values(roles)))
    emit({ type: 'notice', level: 'warning', message })
}

/** A request to stop lets the cells in flight finish, and their answers are checked too: only an abort ends the watch. */
async function corpusOf(
  { abort, emit }: DatasetRun,
  { client, ready }: ServedDataset & { client: PlatformClient },
  { reproducibility: { ingestion } }: RunLog,
): Promise<CorpusGuard | null> {
  if (ingestion === null) return null
  return watchCorpus({ client, ready, stop: abort, emit, profile: ingestion.profile, jobId: ingestion.job_id })
}

const cellsOf = ({
  run: { runId, dataset, aliases, repeats, experiment },
  retries: { retryOf },
}: OpenRun): Generator<LadderCell> =>
  cellsInOrder({ runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf })

/** The cells from a random one on, and those before it then: workers that start together do not ask for the same ones. */
function* cellsFromAnywhere(open: OpenRun, count: number): Generator<LadderCell> {
  const start = Math.floor(Math.random() * count)
  yield* cellsOf(open).drop(start)
  yield* cellsOf(open).take(start)
}

/** The plan that the start of the run made, where nothing that it rests on has changed since; else one that is made now. */
async function currentPlan(open: OpenRun): Promise<CellPlan> {
  const { run, opened } = open
  if (run.plan !== undefined) {
    if (await isPlanCurrent(run.plan, opened, run)) return run.plan
    const message = `${run.dataset.dataset.id}: its rows or conditions changed after the run was planned, so it was planned again`
    run.emit({ type: 'notice', level: 'info', message })
  }
  return planCells(opened, run, open.retries, cellsOf(open))
}

/** Returns what the run does with its cells, in numbers, and explains the cells that are not called. */
function reportOf(open: OpenRun, resume: ResumePlan): RunPlan {
  const { dataset, aliases, unavailable = [], repeats } = open.run
  explainAll(open, new Set(resume.reuse), 'reused', 'its row is stored, made under the same conditions')
  explainAll(open, new Set(resume.answered), 'reused', 'its answer is stored without its grades, and only scored')
  return {
    dataset_id: dataset.dataset.id,
    total: dataset.questions.length * aliases.length * repeats,
    ...countsOf(resume, open.retries.count(cellsOf(open).map((cell) => cell.cellId))),
    unavailable: unavailable.map(({ alias, reason }) => ({ model: alias.alias, reason })),
  }
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
  async function make(cell: LadderCell, claimed: ClaimOutcome, takenAt: number): Promise<boolean> {
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
    run.budget?.add(row, { isAnswerCounted: open.retries.answerOf(cell.cellId) !== null })
    return true
  }

  const isStopped = (): boolean => stop.aborted || fatal.length > 0
  const { log } = open.opened
  /** Cells that other processes make: they are looked at again at the end, in case one of these dies. */
  const elsewhere: LadderCell[] = []

  async function worker(): Promise<void> {
    for (const cell of cells) {
      if (!todo.has(cell.rowId) || refusals.isStopped(cell.alias.alias)) continue
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
      if (refusals.isStopped(cell.alias.alias)) continue
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
  const refused = refusals.error()
  if (refused !== null) fatal.push(refused)
  const why = fatal[0] === undefined ? 'the run was stopped' : `the run failed: ${fatal[0].message}`
  explainAll(open, left, 'skipped', why)
  if (fatal[0] !== undefined) throw fatal[0]
  return { ...counts, left: left.size }
}

/** The connection to the database broke while a cell was made, and another process has claimed or stored it since. */
const isLeftToOthers = (error: unknown): boolean =>
  error instanceof EvidenceError && (error.code === 'claim_lost' || error.code === 'already_stored')

function explainAll(open: OpenRun, rowIds: ReadonlySet<string>, action: Explained['action'], reason: string): void {
  if (!open.run.isVerbose || rowIds.size === 0) return
  for (const cell of cellsOf(open)) if (rowIds.has(cell.rowId)) explain(open, cell, action, reason)
}
