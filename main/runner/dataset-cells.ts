import type { CorpusGuard } from './corpus-guard.ts'
import { evaluatorOf, type ServedDataset } from './dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { createGatewayClient } from '../lib/gateway-client.ts'
import { ResumeConflictError } from './resume-error.ts'
import type { RunLog } from './run-conditions.ts'
import { planMatrix, runMatrix, type MatrixOutcome, type MatrixRun } from './run-matrix.ts'

/**
 * Step 6: plans against what is stored, then makes what is missing, each cell durable at once and evaluated right after its answer is
 * kept. Throws `ResumeConflictError` before any call.
 */
export async function runCells(
  run: DatasetRun,
  started: ServedDataset,
  { log, reproducibility }: RunLog,
  corpus: CorpusGuard | null,
): Promise<MatrixOutcome> {
  const { evaluation } = run.experiment
  const gateway = createGatewayClient(started)
  const evaluator = evaluatorOf(run, started)
  try {
    const matrix: MatrixRun = {
      runId: run.runId,
      dataset: run.dataset,
      provider: reproducibility.runtime.gateway,
      reproducibility,
      metrics: run.metrics,
      judgePanel: evaluation.metrics.judge_panel.enabled,
      aliases: run.aliases,
      repeats: run.repeats,
      log,
      gateway,
      evaluator,
      settings: {
        concurrency: evaluation.run.concurrency,
        timeoutMs: evaluation.run.timeout_s * 1000,
        retries: evaluation.run.retries,
        seed: evaluation.run.seed,
      },
      emit: run.emit,
      isVerbose: run.isVerbose,
      ready: started.ready,
      confirmCorpus: corpus === null ? null : () => corpus.confirm(),
      drain: run.drain,
      abort: run.abort,
    }
    const { plan, todo } = await planMatrix(matrix)
    run.emit({ type: 'plan.ready', plan })
    if (plan.conflicts.length > 0) throw new ResumeConflictError(run.files.evidence, plan.conflicts)
    return await runMatrix(matrix, todo)
  } finally {
    await Promise.all([gateway.close(), evaluator?.close()])
  }
}
