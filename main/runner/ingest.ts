import { setTimeout as delay } from 'node:timers/promises'
import type { IngestionProvenance, IngestionRecord, RunEvent } from '../../contract/index.ts'
import type { PlatformClient } from './platform-client.ts'

/** An ingestion job ended without its collection. */
export class IngestionFailedError extends Error {
  override readonly name = 'IngestionFailedError'
  readonly code = 'ingestion_failed'
  readonly record: IngestionRecord

  constructor(record: IngestionRecord) {
    const causes = record.errors.map(
      (error) => `  ${error.phase}${error.file === null ? '' : `, ${error.file}`}: ${error.message}`,
    )
    super([`ingestion ${record.id} of ${record.profile} is ${record.status}`, ...causes].join('\n'))
    this.record = record
  }
}

const FIRST_POLL_MS = 25
const LONGEST_POLL_MS = 1000

/** Tells each phase once per change. */
function announce(
  emit: (event: RunEvent) => void,
  datasetId: string,
  record: IngestionRecord,
  told: Map<string, string>,
): void {
  for (const phase of record.phases) {
    const news = `${phase.status} ${JSON.stringify(phase.counts)}`
    if (phase.status === 'pending' || told.get(phase.name) === news) continue
    told.set(phase.name, news)
    emit({
      type: 'ingestion.progressed',
      dataset_id: datasetId,
      job_id: record.id,
      phase: phase.name,
      status: phase.status,
      counts: phase.counts,
    })
  }
}

/**
 * Submits a profile and follows the durable job to its end; the platform answers with an earlier job when nothing has changed. Throws
 * `IngestionFailedError`; an abort cancels the job on the platform first.
 */
export async function ingestProfile(
  client: PlatformClient,
  profile: string,
  datasetId: string,
  emit: (event: RunEvent) => void,
  abort: AbortSignal,
): Promise<IngestionProvenance> {
  const accepted = await client.submitIngestion(profile)
  const told = new Map<string, string>()
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 1.5)) {
    const record = await client.ingestion(accepted.ingestion_id)
    announce(emit, datasetId, record, told)
    if (record.status === 'completed')
      return {
        job_id: record.id,
        profile: record.profile,
        revision: record.revision,
        content_digest: record.content_digest,
        mode: 'platform',
      }
    if (record.status === 'failed' || record.status === 'cancelled') throw new IngestionFailedError(record)
    try {
      await delay(pollMs, undefined, { signal: abort })
    } catch (error) {
      await client.cancelIngestion(accepted.ingestion_id)
      throw error
    }
  }
}
