import {
  RUNNER_VERSION,
  type CanonicalRow,
  type EvaluationMetric,
  type EvaluationResult,
  type Reproducibility,
} from '../../contract/index.ts'
import { answerNotRun, scoreAnswer, withModelRefusal } from '../evaluation/answer-scores.ts'
import { evaluationNotRun } from '../evaluation/evaluation-status.ts'
import { retrievalNotRun, scoreRetrieval } from '../evaluation/retrieval-scores.ts'
import type { LadderDataset } from '../manifests/experiment.ts'
import { rowDataset } from '../report/run-summary.ts'
import { rowApproach, rowQuestion, type PlannedCell } from './plan-cells.ts'
import type { CellAnswer } from './run-cell.ts'

export interface RowContext {
  runId: string
  dataset: LadderDataset
  provider: string
  reproducibility: Reproducibility
  metrics: readonly EvaluationMetric[]
  judgePanel: boolean
}

/** A finished call → canonical row, its evaluation still to come. `finishedAt` is the moment the answer was complete. */
export function buildRow(
  context: RowContext,
  cell: PlannedCell,
  answer: CellAnswer,
  queueMs: number,
  finishedAt: Date,
): CanonicalRow {
  const { dataset } = context.dataset
  const evidence = answer.ok ? answer.evidence : null
  const last = answer.attempts.at(-1)!
  return {
    schema_version: 1,
    runner_version: RUNNER_VERSION,
    run_id: context.runId,
    row_id: cell.rowId,
    ...(cell.repeat === 1 ? {} : { repeat: cell.repeat }),
    ...(cell.retry === 0 ? {} : { retry: cell.retry }),
    dataset: rowDataset(dataset),
    question: rowQuestion(cell.question),
    approach: rowApproach(cell.alias, context.provider),
    reproducibility: context.reproducibility,
    status: answer.ok ? 'ok' : answer.error.type === 'timeout' ? 'timeout' : 'error',
    evidence,
    metrics: {
      operational: {
        latency_ms: last.latency_ms,
        queue_ms: queueMs,
        attempts: answer.attempts,
        token_usage: evidence?.token_usage ?? null,
        server: evidence?.server_metrics ?? null,
      },
      ragas: evaluationNotRun(context.metrics),
      retrieval:
        evidence === null
          ? retrievalNotRun()
          : scoreRetrieval({
              capability: cell.alias.evidence,
              gold: cell.question.gold,
              sources: evidence.sources,
              contexts: evidence.contexts,
              usedPassages: evidence.used_passages ?? null,
            }),
      answer: evidence === null ? answerNotRun() : scoreAnswer(evidence.answer, cell.question),
      judge_panel: { status: context.judgePanel ? 'pending' : 'disabled' },
      ...(answer.ok && answer.contextText !== null ? { context_text: answer.contextText } : {}),
    },
    finished_at: finishedAt.toISOString(),
    error: answer.ok ? null : answer.error,
  }
}

/** A row with its evaluation, whose language model has the last word on whether the answer refuses. */
export function withEvaluation(row: CanonicalRow, ragas: EvaluationResult): CanonicalRow {
  const { answer } = row.metrics
  const decided =
    answer === undefined || answer.status === 'not_run' || ragas.refused === undefined
      ? answer
      : withModelRefusal(answer, ragas.refused, row.question.answerable)
  return { ...row, metrics: { ...row.metrics, ragas, ...(decided === undefined ? {} : { answer: decided }) } }
}
