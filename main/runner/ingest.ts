import { setTimeout as delay } from 'node:timers/promises'
import type { IngestionProvenance, IngestionRecord, RunEvent } from '../../contract/index.ts'
import { plural } from '../report/score-format.ts'
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

/** A job's durable record; `unchanged` when an earlier run had it finished and nothing was worked on now. */
export interface IngestedCorpus {
  record: IngestionRecord
  unchanged: boolean
}

const FIRST_POLL_MS = 25
const LONGEST_POLL_MS = 1000

/** What every row says of the job that its collections come from. */
export const ingestionProvenance = (record: IngestionRecord): IngestionProvenance => ({
  job_id: record.id,
  profile: record.profile,
  revision: record.revision,
  content_digest: record.content_digest,
  mode: 'platform',
})

/** What there is to search now, and whether it was made now. */
export function ingestionNote({ record, unchanged }: IngestedCorpus): string {
  const { chunks_written: chunks, documents_parsed: documents } = record.counts
  const parts = [
    ...(chunks === undefined ? [] : [plural(chunks, 'chunk')]),
    ...(documents === undefined ? [] : [plural(documents, 'document')]),
  ]
  const what = parts.length === 0 ? [] : [`${parts.join(' of ')}${unchanged ? ', unchanged' : ''}`]
  return [...what, `job ${record.id}`, `corpus digest ${record.content_digest.slice(0, 12)}`].join(' · ')
}

/** Tells each phase once per change. */
function announce(
  emit: (event: RunEvent) => void,
  datasetId: string,
  { record, unchanged }: IngestedCorpus,
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
      ...(unchanged ? { unchanged } : {}),
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
): Promise<IngestedCorpus> {
  const accepted = await client.submitIngestion(profile)
  const unchanged = accepted.status === 'completed' && accepted.message.startsWith('Idempotent')
  const told = new Map<string, string>()
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 1.5)) {
    const record = await client.ingestion(accepted.ingestion_id)
    announce(emit, datasetId, { record, unchanged }, told)
    if (record.status === 'completed') return { record, unchanged }
    if (record.status === 'failed' || record.status === 'cancelled') throw new IngestionFailedError(record)
    try {
      await delay(pollMs, undefined, { signal: abort })
    } catch (error) {
      await client.cancelIngestion(accepted.ingestion_id)
      throw error
    }
  }
}
