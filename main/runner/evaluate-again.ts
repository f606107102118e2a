import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CanonicalRow, EvaluationMetric, RunEvent } from '../../contract/index.ts'
import { evaluationNotRun } from '../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../evaluation/evaluator-client.ts'
import type { EvidenceLog } from '../evidence/evidence-log.ts'
import { openEvidenceLog } from '../evidence/open-evidence-log.ts'
import { rowId, rowKeyOf } from '../evidence/row-id.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import { withEvaluation } from './build-row.ts'
import { EvidenceRefusedError } from './resume-error.ts'
import { tellNotices } from './evidence-notices.ts'

export interface Reevaluation {
  /** Evidence whose answers are scored again. */
  source: string
  /** New evidence file, of a run with its own id: rows are never changed. */
  target: string
  runId: string
  evaluator: EvaluatorClient
  metrics: readonly EvaluationMetric[]
  emit: (event: RunEvent) => void
  drain: AbortSignal
}

/** A row of the new run with the stored answer; its evaluation is still to come. */
function derivedRow(row: CanonicalRow, runId: string, metrics: readonly EvaluationMetric[]): CanonicalRow {
  const id = rowId({ ...rowKeyOf(row), run_id: runId })
  return withEvaluation(
    { ...row, run_id: runId, row_id: id, derived_from: { run_id: row.run_id, row_id: row.row_id } },
    evaluationNotRun(metrics),
  )
}

async function scored(job: Reevaluation, row: CanonicalRow): Promise<CanonicalRow> {
  if (row.evidence === null) return row
  const { evidence, question } = row
  const result = await job.evaluator.evaluate(
    job.metrics,
    {
      question: question.query,
      answer: evidence.answer,
      contexts: evidence.contexts,
      groundTruth: question.ground_truth,
    },
    { row_id: row.row_id, run_id: row.run_id, dataset_id: row.dataset.id },
  )
  return withEvaluation(row, result)
}

async function makeRow(job: Reevaluation, log: EvidenceLog, row: CanonicalRow): Promise<boolean> {
  const outcome = await log.claim(row.row_id, job.drain)
  if (outcome.outcome === 'stored') return false
  try {
    await log.append(outcome.claim, await scored(job, row))
  } catch (error) {
    await log.release(outcome.claim)
    throw error
  }
  return true
}

/**
 * Scores stored answers again under a new run id, without calling any approach. Resumes like every run. Throws `EvidenceRefusedError`.
 */
export async function evaluateAgain(job: Reevaluation): Promise<{ made: number; reused: number; left: number }> {
  await mkdir(dirname(job.target), { recursive: true })
  const opened = await openEvidenceLog(job.target, {
    runId: job.runId,
    create: true,
    onNotice: tellNotices(job.emit),
  })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  const counts = { made: 0, reused: 0, left: 0 }
  try {
    for await (const stored of readEvidenceRows(job.source)) {
      if (job.drain.aborted) {
        counts.left += 1
        continue
      }
      const row = derivedRow(stored, job.runId, job.metrics)
      counts[(await makeRow(job, opened.log, row)) ? 'made' : 'reused'] += 1
    }
  } finally {
    await opened.log.close()
  }
  return counts
}
