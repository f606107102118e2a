import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { EvaluationConditions, RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { evaluationNotRun } from '../../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import { CellRecorder } from '../../evidence/traces/cell-recorder.ts'
import { TraceTexts } from '../../evidence/traces/trace-texts.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { rowId, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { firstDifference, identityConflict } from '../../evidence/rows/row-identity.ts'
import { identityOfRow, type IdentityFrom } from '../../evidence/rows/run-identity.ts'
import { hashOf } from '../../manifests/load-manifest.ts'
import { readEvidenceRows } from '../../report/read-evidence.ts'
import { cellFinished, evaluateRow, withEvaluation } from '../cells/build-row.ts'
import { openEvidence, ResumeConflictError } from '../cells/open-evidence.ts'

interface Reevaluation {
  /** Evidence whose answers are scored again. */
  source: string
  /** New evidence file, of a run with its own id: rows are never changed. */
  target: string
  runId: string
  datasetId: string
  evaluator: EvaluatorClient
  /** Holds what the scores are made with; kept as the new run's evaluation settings. */
  conditions: EvaluationConditions
  /** The evaluator's address, or the embedded platform's model set: rows of two evaluators are never in one run. */
  evaluatorName: string
  emit: (event: RunEvent) => void
  drain: AbortSignal
}

/** A row of the new run with the stored answer; its evaluation is still to come. */
function derivedRow(row: CanonicalRow, { run_id, evaluation, reproducibility }: RunIdentity): CanonicalRow {
  const { [EVALUATED_AGAIN]: evaluator } = reproducibility.config_hashes
  const derived = {
    ...row,
    run_id,
    row_id: rowId({ ...rowKeyOf(row), run_id }),
    reproducibility: withEvaluator(row.reproducibility, evaluator),
    derived_from: { run_id: row.run_id, row_id: row.row_id },
  }
  return withEvaluation(derived, evaluationNotRun(evaluation.metrics))
}

/** Key of the hash of what stored answers were scored with again; `evaluation` still records how they were made. */
export const EVALUATED_AGAIN = 'evaluated_again'

const withEvaluator = (reproducibility: Reproducibility, evaluator: string | undefined): Reproducibility =>
  evaluator === undefined
    ? reproducibility
    : { ...reproducibility, config_hashes: { ...reproducibility.config_hashes, [EVALUATED_AGAIN]: evaluator } }

/** The conditions of the new run, from a row of the old one. Scores stored before the evaluator was recorded are compared by their metrics. */
function identityFrom(row: CanonicalRow, { runId, conditions, evaluatorName }: Reevaluation): IdentityFrom {
  return (stored) => {
    const isOlder = stored !== null && !(EVALUATED_AGAIN in stored.reproducibility.config_hashes)
    const evaluator = isOlder ? undefined : hashOf({ ...conditions, evaluator: evaluatorName })
    const reproducibility = withEvaluator(row.reproducibility, evaluator)
    return { ...identityOfRow(row), run_id: runId, evaluation: conditions, reproducibility }
  }
}

async function setIdentity(job: Reevaluation, log: EvidenceLog, first: CanonicalRow): Promise<RunIdentity> {
  const outcome = await log.setIdentity(identityFrom(first, job))
  if (!outcome.ok) throw new ResumeConflictError(job.target, outcome.conflicts)
  return outcome.identity
}

async function scored(job: Reevaluation, row: CanonicalRow, texts: TraceTexts): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  const recorder = new CellRecorder(row.trace?.level ?? 'off', row.trace)
  const result = await evaluateRow(job.evaluator, job.conditions.metrics, row, row.evidence, recorder)
  const leftOut = await texts.add(recorder.takeTexts())
  return withEvaluation(row.trace === undefined ? row : { ...row, trace: recorder.trace(leftOut) }, result)
}

/** Returns the row as it was stored; null where it had been. */
async function makeRow(
  job: Reevaluation,
  log: EvidenceLog,
  row: CanonicalRow,
  texts: TraceTexts,
): Promise<CanonicalRow | null> {
  const outcome = await log.claim(row.row_id, job.drain)
  if (outcome.outcome === 'stored') {
    const conflict = identityConflict(outcome.row, row)
    if (conflict !== null) throw new ResumeConflictError(job.target, [conflict])
    return null
  }
  try {
    const made = await scored(job, row, texts)
    await log.append(outcome.claim, made)
    return made
  } catch (error) {
    await log.release(outcome.claim)
    throw error
  }
}

/**
 * Scores stored answers again under a new run id, without calling any approach. Resumes like every run. Throws `EvidenceRefusedError` and
 * `ResumeConflictError`.
 */
export async function evaluateAgain(job: Reevaluation): Promise<{ made: number; reused: number; left: number }> {
  await mkdir(dirname(job.target), { recursive: true })
  const { datasetId, runId, emit } = job
  const log = await openEvidence({ store: fileStore, file: job.target, runId, datasetId, create: true, emit })
  const texts = new TraceTexts(job.target)
  const counts = { made: 0, reused: 0, left: 0 }
  let identity: RunIdentity | null = null
  try {
    for await (const stored of readEvidenceRows(job.source)) {
      if (job.drain.aborted) {
        counts.left += 1
        continue
      }
      identity ??= await setIdentity(job, log, stored)
      const row = derivedRow(stored, identity)
      const difference = firstDifference(row.reproducibility, identity.reproducibility, ['reproducibility'])
      if (difference !== null) throw new ResumeConflictError(job.source, [{ row_id: stored.row_id, ...difference }])
      const made = await makeRow(job, log, row, texts)
      counts[made === null ? 'reused' : 'made'] += 1
      emit(cellFinished(made ?? row, made === null))
    }
  } finally {
    await texts.close()
    await log.close()
  }
  return counts
}
