import type { EvaluationMetric } from '../../../contract/common.ts'
import { RUNNER_VERSION, type CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { CellTrace } from '../../../contract/evidence/trace.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { answerNotRun, scoreAnswer, withModelRefusal } from '../../evaluation/answer-scores.ts'
import { evaluationNotRun } from '../../evaluation/evaluation-status.ts'
import type { EvaluatorClient } from '../../evaluation/evaluator-client.ts'
import { retrievalNotRun, scoreRetrieval } from '../../evaluation/retrieval-scores.ts'
import type { CellRecorder } from '../../evidence/traces/cell-recorder.ts'
import { thisMachine } from '../../lib/this-machine.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { rowDataset } from '../../report/aggregate/run-summary.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'
import { rowApproach, rowQuestion, type LadderCell } from './ladder-cells.ts'
import type { CellAnswer } from './call-approach.ts'
import { citedAnswer, scoredAnswer } from '../../../core/citations.ts'
import { repeatsPrompt } from '../../../core/repeated-prompt.ts'
import { withoutSecrets } from '../../../core/known-secrets.ts'

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
  cell: LadderCell,
  answer: CellAnswer,
  queueMs: number,
  finishedAt: Date,
  trace?: CellTrace,
): CanonicalRow {
  const { dataset } = context.dataset
  const evidence = answer.ok ? answer.evidence : null
  const isRepeated = evidence !== null && repeatsPrompt(scoredAnswer(evidence), cell.question.query)
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
    ...(trace === undefined ? {} : { trace }),
    metrics: {
      operational: {
        latency_ms: Math.max(0, last.latency_ms - 1000 * (evidence?.server_metrics?.waited_s ?? 0)),
        machine: thisMachine(),
        queue_ms: queueMs,
        attempts: answer.attempts,
        token_usage: evidence?.token_usage ?? null,
        server: evidence?.server_metrics ?? null,
        ...(answer.ok && answer.isCut ? { is_cut: true as const } : {}),
        ...(answer.ok && answer.isUnsearched ? { is_unsearched: true as const } : {}),
        ...(isRepeated ? { is_repeated_prompt: true as const } : {}),
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
      answer: evidence === null ? answerNotRun() : scoreAnswer(isRepeated ? '' : scoredAnswer(evidence), cell.question),
      judge_panel: { status: context.judgePanel ? 'pending' : 'disabled' },
      ...(answer.ok && answer.contextText !== null ? { context_text: answer.contextText } : {}),
    },
    finished_at: finishedAt.toISOString(),
    error: answer.ok ? null : answer.error,
  }
}

/** Lets an evaluator score the answer of a row. */
export const evaluateRow = (
  evaluator: EvaluatorClient,
  metrics: readonly EvaluationMetric[],
  { row_id, run_id, dataset, question }: CanonicalRow,
  evidence: NonNullable<CanonicalRow['evidence']>,
  recorder: CellRecorder,
  signal?: AbortSignal,
): Promise<EvaluationResult> =>
  evaluator.evaluate(
    metrics,
    {
      question: question.query,
      answer: scoredAnswer(evidence),
      citedAnswer: citedAnswer(evidence),
      contexts: evidence.contexts,
      groundTruth: question.ground_truth,
    },
    { row_id, run_id, dataset_id: dataset.id },
    signal,
    recorder,
  )

/** A row with its evaluation, whose language model has the last word on whether the answer refuses. */
export function withEvaluation(row: CanonicalRow, ragas: EvaluationResult): CanonicalRow {
  const { grading_refused: _, ...ungraded } = row
  const refused = ragas.error_type === 'access_refused' ? { grading_refused: true as const } : {}
  const { answer } = row.metrics
  const decided =
    answer === undefined || answer.status === 'not_run' || ragas.refused === undefined
      ? answer
      : withModelRefusal(answer, ragas.refused, row.question.answerable)
  const metrics = { ...row.metrics, ragas, ...(decided === undefined ? {} : { answer: decided }) }
  return { ...ungraded, ...refused, metrics }
}

/** Most characters that an event carries of the beginning and of the end of an error; the row has it whole. */
const SHOWN_ERROR = 300

/** An error on one line. A long one is cut in its middle, where a service speaks: where it failed begins it, and what to do ends it. */
function shownError(message: string): string {
  const line = oneLine(withoutSecrets(message))
  if (line.length <= 2 * SHOWN_ERROR) return line
  return `${line.slice(0, SHOWN_ERROR).trimEnd()} … ${line.slice(-SHOWN_ERROR).trimStart()}`.toWellFormed()
}

/** Reports a stored row; `reused` when another runner made it, or an earlier evaluation scored it. */
export const cellFinished = (
  { dataset, row_id, question, approach, status, error, metrics }: CanonicalRow,
  reused: boolean,
): Extract<RunEvent, { type: 'cell.finished' }> => ({
  type: 'cell.finished',
  dataset_id: dataset.id,
  row_id,
  question_id: question.id,
  model: approach.model,
  status,
  error_type: error?.type ?? null,
  error_message: error && shownError(error.message),
  evaluation: metrics.ragas.status,
  latency_ms: metrics.operational.latency_ms,
  reused,
})
