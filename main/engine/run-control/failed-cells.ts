import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { UNGRADABLE } from '../../../core/evidence/gap-reasons.ts'
import { FailureClass } from '../../../contract/control/run-job.ts'
import { evaluationNotRun } from '../../evaluation/evaluation-status.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import type { EvidenceStore } from '../../evidence/evidence-store.ts'
import { SharedConditions } from '../../evidence/rows/conditions.ts'
import { rowId, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { identityOfRow } from '../../evidence/rows/run-identity.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { withEvaluation } from '../../runner/cells/build-row.ts'
import { EvidenceRefusedError, ResumeConflictError } from '../../runner/cells/open-evidence.ts'

/** Returns how a cell failed: its call, or the evaluation of a good answer; null when it did not. */
function failureClassOf({ error, metrics: { ragas } }: Pick<CanonicalRow, 'error' | 'metrics'>): FailureClass | null {
  if (error !== null) return error.type
  if (ragas.error_type === 'timeout') return 'evaluation_timeout'
  const errors = Object.values(ragas.metric_errors)
  const isOfAnswer = errors.length > 0 && errors.every((error) => UNGRADABLE.has(error))
  return !isOfAnswer && (ragas.status === 'error' || errors.length > 0) ? 'evaluation_error' : null
}

const isOfEvaluation = (failure: FailureClass): boolean => failure.startsWith('evaluation_')

/** Failed cells by class in evidence files. Throws `ReportError`. */
export async function countFailures(files: readonly string[]): Promise<{ class: FailureClass; cells: number }[]> {
  const counts = new Map<FailureClass, number>()
  for (const file of files)
    for await (const row of readEvidenceRows(file)) {
      const failure = failureClassOf(row)
      if (failure !== null) counts.set(failure, (counts.get(failure) ?? 0) + 1)
    }
  return FailureClass.options.flatMap((name) => {
    const cells = counts.get(name)
    return cells === undefined ? [] : [{ class: name, cells }]
  })
}

/** Failed scores are made again by the evaluator that works now, which may be another one than the first: the run names none. */
function withoutEvaluator(reproducibility: CanonicalRow['reproducibility']): CanonicalRow['reproducibility'] {
  const { evaluator: _evaluator, ...providers } = reproducibility.runtime.providers
  return { ...reproducibility, runtime: { ...reproducibility.runtime, providers } }
}

/** A row of another run with the same content, which records where it comes from. */
function derivedRow(row: CanonicalRow, runId: string): CanonicalRow {
  const { run_id, row_id } = row
  return {
    ...row,
    run_id: runId,
    row_id: rowId({ ...rowKeyOf(row), run_id: runId }),
    reproducibility: withoutEvaluator(row.reproducibility),
    derived_from: { run_id, row_id },
  }
}

interface Takeover {
  /** Evidence of the run whose failures are made again. */
  source: string
  /** Evidence of the new run. */
  target: string
  runId: string
  datasetId: string
  /** States where the rows of the new run are kept. */
  store: EvidenceStore
  /** Holds what is made again; everything else is taken over. */
  classes: readonly FailureClass[]
  signal: AbortSignal
}

async function takeOver(log: EvidenceLog, row: CanonicalRow, { classes, runId, signal }: Takeover): Promise<void> {
  const failure = failureClassOf(row)
  const again = failure !== null && classes.includes(failure)
  if (again && !isOfEvaluation(failure)) return
  const derived = derivedRow(row, runId)
  const outcome = await log.claim(derived.row_id, signal)
  if (outcome.outcome === 'stored') return
  try {
    // Its answer is good: only the evaluation is made again, without a call. A refused grading still binds no evaluator.
    if (again) {
      const ungraded = withEvaluation(derived, evaluationNotRun(row.metrics.ragas.requested))
      const { grading_refused: isRefused } = row
      await log.keepAnswer(outcome.claim, isRefused === true ? { ...ungraded, grading_refused: isRefused } : ungraded)
    } else await log.append(outcome.claim, derived)
  } finally {
    await log.release(outcome.claim)
  }
}

/** Gives the new run the last conditions of the run whose rows it takes over. */
async function setIdentityOf(
  first: CanonicalRow,
  log: EvidenceLog,
  { source, target, runId }: Takeover,
): Promise<void> {
  const shared = new SharedConditions()
  for await (const row of readEvidenceRows(source)) shared.addAndCompare(row)
  const row = { ...first, reproducibility: shared.value! }
  const outcome = await log.setIdentity(() => identityOfRow(derivedRow(row, runId)))
  if (!outcome.ok) throw new ResumeConflictError(target, outcome.conflicts)
}

/**
 * Fills the evidence of a new run with everything of an earlier one that is not to be made again; the run then makes the rest. Can be stopped
 * and called again. Throws `EvidenceRefusedError`, `ResumeConflictError` and `ReportError`.
 */
export async function takeOverRows(takeover: Takeover): Promise<void> {
  await mkdir(dirname(takeover.target), { recursive: true })
  const { store, target: file, runId, datasetId, signal } = takeover
  const opened = await store.open({ file, runId, datasetId, create: true, signal })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  try {
    let isFirst = true
    for await (const row of readEvidenceRows(takeover.source)) {
      takeover.signal.throwIfAborted()
      if (isFirst) await setIdentityOf(row, opened.log, takeover)
      isFirst = false
      await takeOver(opened.log, row, takeover)
    }
  } finally {
    await opened.log.close()
  }
}
