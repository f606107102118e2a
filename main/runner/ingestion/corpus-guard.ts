import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { IngestionRecord } from '../../../contract/http/ingestion.ts'
import { askAgain } from './ingest.ts'
import { PlatformError, type PlatformClient } from '../platform/platform-client.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

/** The collections were made again while the run was answering from them. No answer that came after it was stored. */
export class CorpusChangedError extends Error {
  override readonly name = 'CorpusChangedError'
  readonly code = 'corpus_changed'
}

export interface CorpusGuard {
  /** Resolves when a check that began after this call found the corpus unchanged. Throws `CorpusChangedError`, `PlatformError`. */
  confirm(): Promise<void>
}

interface GuardedCorpus {
  client: Pick<PlatformClient, 'ingestions' | 'ragHealth'>
  profile: string
  /** The job that the run's collections come from. */
  jobId: string
  emit: (event: RunEvent) => void
  stop: AbortSignal
  ready: () => Promise<void>
}

/** Routes that a platform need not have answer so, also through an edge that forwards only some. */
const isAbsent = (error: unknown): boolean =>
  error instanceof PlatformError && (error.code === 'invalid_response' || [403, 404, 405].includes(error.status ?? 0))

/** The latest ingestion of the profile that did or may replace its collections; null when none of the latest ones is of it. */
const latestOf = (records: readonly IngestionRecord[], profile: string): string | null =>
  records.find((record) => record.profile === profile && !['failed', 'cancelled'].includes(record.status))?.id ?? null

type Source = (signal: AbortSignal) => Promise<string | null>

/**
 * Watches what a run answers from. A later ingestion of the profile shows itself when it is submitted, before it replaces anything; a platform
 * that does not list its ingestions is asked for the digest of its collections. Null, with a warning, when it reports neither. Throws as `confirm`.
 */
export async function watchCorpus(corpus: GuardedCorpus): Promise<CorpusGuard | null> {
  const { client, profile, jobId, emit, stop, ready } = corpus
  const job: Source = async (signal) => `ingestion ${latestOf(await client.ingestions(signal), profile) ?? jobId}`
  const digest: Source = async (signal) => {
    const served = (await client.ragHealth(signal)).collections?.plain?.content_digest
    return served === undefined ? null : `collection digest ${served}`
  }
  for (const source of [job, digest]) {
    const ask = (): Promise<string | null> => askAgain(source, { emit, stop, ready })
    const now = await ask().catch((error: unknown) => {
      if (isAbsent(error)) return null
      throw error
    })
    if (now === null) continue
    const before = source === job ? `ingestion ${jobId}` : now
    if (now !== before) throw changed(profile, before, now)
    return guard(profile, before, ask)
  }
  const message = `the platform reports neither its ingestions nor the digest of its collections: a corpus that is ingested again during the run would not be noticed`
  emit({ type: 'notice', level: 'warning', message })
  return null
}

const changed = (profile: string, before: string, now: string | null): CorpusChangedError =>
  new CorpusChangedError(
    `the corpus of ${profile} was ingested again during the run (${before}, now ${now ?? 'unknown'}). Answers that came after it were not stored. Start a new run ${remedyFor({ panel: 'under another name', commandLine: 'with --run-id' })}`,
  )

function guard(profile: string, before: string, ask: () => Promise<string | null>): CorpusGuard {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const check = async (): Promise<void> => {
    const now = await ask()
    if (now === before) return
    throw changed(profile, before, now)
  }
  const start = (): Promise<void> => {
    running = check().finally(() => (running = null))
    return running
  }
  return {
    // A check that is under way may have looked before the caller's answer came: the next one is shared by all who wait for it.
    confirm() {
      if (running === null) return start()
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = null
          return running ?? start()
        })
      return next
    },
  }
}
