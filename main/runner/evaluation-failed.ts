import type { Aggregate } from '../../contract/index.ts'
import { plural } from '../../contract/words.ts'
import { reasonWords } from '../../contract/evidence/gap-reasons.ts'

/** No answer of a dataset run got a single score from the evaluator, and there was something to score. */
export class EvaluationFailedError extends Error {
  override readonly name = 'EvaluationFailedError'
  readonly code = 'evaluation_failed'
}

/**
 * The failure of every evaluation of a dataset run as one error with its most frequent cause; null where any answer was scored, or none was
 * to be. A run without a single score must not end as if it had some.
 */
export function evaluationFailure({ dataset, approaches }: Aggregate): EvaluationFailedError | null {
  const selected = approaches.filter((approach) => approach.selected)
  const total = (status: 'ok' | 'partial' | 'error'): number =>
    selected.reduce((sum, { evaluation }) => sum + evaluation.statuses[status], 0)
  const failed = total('error')
  if (failed === 0 || total('ok') + total('partial') > 0) return null
  const causes = new Map<string, number>()
  const count = (cause: string, times: number): void => {
    if (times > 0) causes.set(cause, (causes.get(cause) ?? 0) + times)
  }
  for (const { ragas } of selected)
    for (const { timeouts, errors_by_reason } of Object.values(ragas)) {
      count('the evaluator timed out', timeouts)
      for (const [reason, times] of Object.entries(errors_by_reason)) count(reasonWords(reason), times)
    }
  // Answers that claim nothing have no statement to check: no fault of the evaluator.
  causes.delete(reasonWords('no_statements'))
  if (causes.size === 0) return null
  const [cause] = [...causes].sort(([, a], [, b]) => b - a).map(([words]) => words)
  return new EvaluationFailedError(
    `${dataset.id}: none of ${plural(failed, 'answer')} could be evaluated: ${cause}. The answers are kept; check the evaluator, then score them with rag-ladder evaluate.`,
  )
}
