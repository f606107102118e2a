import { setTimeout as delay } from 'node:timers/promises'
import type { ServedDataset } from './platform/dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { step, type At } from './ladder-step.ts'
import { createPlatformClient, type PlatformAddress } from './platform/platform-client.ts'
import { preflight } from './prepare/preflight.ts'
import { joinRunLog, type RunLog } from './cells/run-conditions.ts'
import { runCells, type CellCounts } from './cells/run-cells.ts'

/** Sets how often a worker looks whether its run has been started. */
const WAIT_MS = 500

/** Resolves with the open evidence once another process has started the run; null when the worker was stopped before. */
async function joined(run: DatasetRun): Promise<RunLog | null> {
  const stop = AbortSignal.any([run.drain, run.abort])
  for (let isReported = false; !stop.aborted; isReported = true) {
    const opened = await joinRunLog(run)
    if (opened !== null) return opened
    if (!isReported)
      run.emit({ type: 'notice', level: 'info', message: `waiting until run ${run.runId} is started elsewhere` })
    await delay(WAIT_MS, undefined, { signal: stop }).catch(() => undefined)
  }
  return null
}

/**
 * Helps with the cells of a run that another process started, until none is left: no ingestion, no summary, no row of others is read. Any number
 * of workers can do so; the cells of one that dies are taken over. Throws `StepFailedError`.
 */
export async function runWorker(run: DatasetRun, gateway: PlatformAddress): Promise<CellCounts> {
  const datasetId = run.dataset.dataset.id
  const at: At = (name, action) => step(run.emit, datasetId, name, action)
  const served: ServedDataset = { ...gateway, health: null, ready: async () => undefined }
  await at('validate', async () => {
    await preflight(run, { ingestion: false, judges: false })
    return { result: null }
  })
  return at('cells', async () => {
    const opened = await joined(run)
    if (opened === null) return { result: { ok: 0, failed: 0, left: 0 }, note: 'stopped before the run was started' }
    const client = createPlatformClient(gateway)
    try {
      return await runCells({ ...run, isWorker: true }, { ...served, client }, opened)
    } finally {
      await Promise.all([opened.log.close(), client.close()])
    }
  })
}
