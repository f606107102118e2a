import type { IngestionProvenance } from '../../contract/evidence/provenance.ts'
import type { ServedDataset } from './platform/dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { step, type At } from './ladder-step.ts'
import { createPlatformClient, type PlatformAddress } from './platform/platform-client.ts'
import { bringToFile } from './cells/open-evidence.ts'
import { preflight } from './prepare/preflight.ts'
import { refuseForeignFiles } from './reset/protected-files.ts'
import { checkStored, openRunLog } from './cells/run-conditions.ts'
import type { DatasetOutcome } from './run-dataset.ts'
import { listKeys } from './run-ladder.ts'
import { runCells } from './cells/run-cells.ts'
import { contextOf, sumUpCells } from './finish/sum-up-cells.ts'

/** The provenance of an ingestion that another program ran, by its job id. Throws `PlatformError`. */
export async function externalIngestion(platform: PlatformAddress, jobId: string): Promise<IngestionProvenance> {
  const client = createPlatformClient(platform)
  try {
    const { id, profile, revision, content_digest } = await client.ingestion(jobId)
    return { job_id: id, profile, revision, content_digest, mode: 'external' }
  } finally {
    await client.close()
  }
}

/**
 * The cells of one dataset against a gateway that is set up already, and their matrix and summary: no ingestion, no life-cycle, nothing asked
 * of it but answers. Throws `StepFailedError`.
 */
export async function runGatewayMatrix(
  run: DatasetRun,
  gateway: PlatformAddress,
  ingestion: IngestionProvenance | null,
): Promise<DatasetOutcome> {
  const datasetId = run.dataset.dataset.id
  const at: At = (name, action) => step(run.emit, datasetId, name, action)
  await listKeys(run.emit)
  const served: ServedDataset = { ...gateway, health: null, ready: async () => undefined }
  await at('validate', async () => {
    await refuseForeignFiles({ root: run.experiment.root, runId: run.runId, datasetId, files: run.files }, [])
    // The stored rows decide without any call.
    await checkStored(run)
    await preflight(run, { ingestion: false, judges: false })
    return { result: null }
  })
  const cells = await at('cells', async () => {
    const opened = await openRunLog(run, served, ingestion)
    const client = createPlatformClient(gateway)
    try {
      return await runCells(run, { ...served, client }, opened)
    } finally {
      await Promise.all([opened.log.close(), client.close()])
    }
  })
  const context = await contextOf(run)
  await bringToFile(run)
  if (cells.left > 0)
    return { datasetId, status: 'interrupted', cells, context, failure: null, columns: [], missing: null }
  const { unanswered, missing: columns } = await sumUpCells(run, context, at)
  const status = unanswered === 0 ? 'completed' : 'cells_failed'
  return { datasetId, status, cells, context, failure: null, columns, missing: null }
}
