import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CanonicalRow, IngestionProvenance } from '../../contract/index.ts'
import type { EvidenceLog } from '../evidence/evidence-log.ts'
import { openEvidenceLog } from '../evidence/open-evidence-log.ts'
import { reproducibilityOf } from '../manifests/provenance.ts'
import { inStoredForm } from '../manifests/stored-form.ts'
import { evaluatorOf, type ServedDataset } from './dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { tellNotices } from './evidence-notices.ts'
import { createGatewayClient } from './gateway-client.ts'
import { EvidenceRefusedError, ResumeConflictError } from './resume-error.ts'
import { planMatrix, runMatrix, type MatrixOutcome, type MatrixRun } from './run-matrix.ts'

/** In its folder, which the first run of a project does not have yet. */
async function openLog(run: DatasetRun): Promise<EvidenceLog> {
  await mkdir(dirname(run.files.evidence), { recursive: true })
  const opened = await openEvidenceLog(run.files.evidence, {
    runId: run.runId,
    create: true,
    signal: run.abort,
    onNotice: tellNotices(run.emit),
  })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  return opened.log
}

async function firstRow(log: EvidenceLog): Promise<CanonicalRow | null> {
  for await (const row of log.rows()) return row
  return null
}

/**
 * Step 6: plans against what is stored, then makes what is missing, each cell durable at once and evaluated right after its answer is
 * kept. Throws `EvidenceRefusedError` or `ResumeConflictError` before any call.
 */
export async function runCells(
  run: DatasetRun,
  started: ServedDataset,
  ingestion: IngestionProvenance | null,
): Promise<MatrixOutcome> {
  const { evaluation } = run.experiment
  const current = await reproducibilityOf(
    run.experiment,
    run.dataset,
    {
      gateway: run.platform.gateway,
      basePort: run.platform.basePort,
      providers: {},
      judgePanel: evaluation.metrics.judge_panel,
    },
    started.health,
    ingestion,
  )
  const gateway = createGatewayClient(started)
  const evaluator = evaluatorOf(run, started)
  const log = await openLog(run)
  try {
    const stored = await firstRow(log)
    const reproducibility = stored === null ? current : inStoredForm(current, stored.reproducibility, evaluation)
    const matrix: MatrixRun = {
      runId: run.runId,
      dataset: run.dataset,
      provider: reproducibility.runtime.gateway,
      reproducibility,
      metrics: run.metrics,
      judgePanel: evaluation.metrics.judge_panel.enabled,
      aliases: run.aliases.filter(({ alias }) => !started.unavailable.some(({ model }) => model === alias)),
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
      ready: started.ready,
      drain: run.drain,
      abort: run.abort,
    }
    const { plan, todo } = await planMatrix(matrix, started.unavailable)
    run.emit({ type: 'plan.ready', plan })
    if (plan.conflicts.length > 0) throw new ResumeConflictError(run.files.evidence, plan.conflicts)
    return await runMatrix(matrix, todo)
  } finally {
    await Promise.all([log.close(), gateway.close(), evaluator?.close()])
  }
}
