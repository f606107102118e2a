import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { IngestionProfile as IngestionProfileSchema } from '../../../contract/index.ts'
import type { IngestionAccepted, IngestionProfile, IngestionRecord, IngestionRequest } from '../../../contract/index.ts'
import type { Logger } from '../../kit/logger.ts'
import type { VectorStore } from '../vector-store/vector-store.ts'
import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { digestWithin, listCorpus } from './corpus.ts'
import type { CorpusLimits, CorpusRoots, ReadingBudget } from './corpus.ts'
import {
  CorpusError,
  DispatchError,
  RunInterrupted,
  StateStoreUnavailableError,
  UnknownIngestionError,
  UnknownProfileError,
} from './errors.ts'
import { graphTargetOf } from './graph-phases.ts'
import type { GraphTargets } from './graph-phases.ts'
import {
  collectionDigest,
  collectionName,
  idempotencyKey,
  isTerminal,
  profileRevision,
  toRecord,
} from './job-record.ts'
import type { Job, NewJob } from './job-record.ts'
import { JobStore } from './job-store.ts'
import { keptCutsFile } from './kept-cuts.ts'
import { removeKeptFile } from './kept-file.ts'
import { keptTextsFile } from './kept-texts.ts'
import { keptVectorsFile } from './kept-vectors.ts'
import type { DocumentParser } from './parsers.ts'
import type { EmbedDocuments } from './phases.ts'
import { IngestionWorker } from './worker.ts'

/** What ingestion needs from its host. */
export interface IngestionOptions {
  /** SQLite file of the jobs; shared by all processes that work on them. */
  stateFile: string
  corpusRoots: CorpusRoots
  consumer: string
  profiles: readonly IngestionProfile[]
  store: VectorStore
  embed: EmbedDocuments
  embeddingSpace: string
  limits: CorpusLimits
  /** What a request may read of a corpus to learn whether it is known; the job reads what is more. */
  readInRequest?: ReadingBudget
  /** Time without a renewal after which another worker takes the job: 10 to 300 seconds. */
  leaseSeconds: number
  /** Parsers besides plain text, tried in the profile's order. */
  parsers?: readonly DocumentParser[]
  /** Null or absent: the graph phases are skipped. */
  graph?: GraphTargets | null
  clock?: Clock
  logger?: Logger
  /** Passes a recorded job to a worker; by default wakes the one of this process. A rejection fails the job. */
  dispatch?: (jobId: string) => Promise<void>
}

export type IngestionDeps = IngestionOptions & { clock: Clock }

export interface IngestionPage {
  records: IngestionRecord[]
  /** Opaque; null on the last page. */
  nextCursor: string | null
}

export interface ProfileReset {
  profile: string
  removed_collections: string[]
  removed_jobs: string[]
}

const READ_IN_REQUEST: ReadingBudget = { files: 200, bytes: 8 * 1024 * 1024 }

/** Collections derived from a profile's chunks go with them on a reset. */
const DERIVED_PREFIXES = ['RagContextual']

/**
 * Durable ingestion of corpora into collections. Every method may throw `StateStoreUnavailableError`.
 *
 * A submission lists the corpus and reads only files that are new or changed by size and time, and of those only a few: a larger corpus is
 * read by its job, which has the fingerprint of the listing until then.
 *
 * A fingerprint (consumer, profile revision, corpus content) has one active job at a time. Submitting it again gives that job, or
 * the completed one while its result is valid: the collection carries the digest that this corpus, revision and embedding model give,
 * and no other job is about to overwrite it. Otherwise, and after a failure or cancellation, it runs again as a new job.
 */
export class IngestionService {
  readonly #deps: IngestionDeps
  readonly #jobs: JobStore
  readonly #worker: IngestionWorker
  readonly #profiles: ReadonlyMap<string, IngestionProfile>
  #closed = false

  constructor(options: IngestionOptions) {
    if (!Number.isInteger(options.leaseSeconds) || options.leaseSeconds < 10 || options.leaseSeconds > 300) {
      throw new RangeError(`leaseSeconds must be an integer from 10 to 300, not ${options.leaseSeconds}`)
    }
    this.#deps = { ...options, clock: options.clock ?? systemClock }
    this.#jobs = new JobStore(options.stateFile, options.leaseSeconds * 1000, this.#deps.clock.now)
    this.#worker = new IngestionWorker(this.#deps, this.#jobs, `${hostname()}:${process.pid}:${randomUUID()}`)
    this.#profiles = new Map(options.profiles.map((profile) => [profile.name, IngestionProfileSchema.parse(profile)]))
  }

  /** Starts the worker of this process: it runs queued jobs, and those whose process died. */
  start(): void {
    this.#worker.start()
  }

  /**
   * Records a job for a profile's corpus and passes it to a worker; with `inRequest`, or when no worker was started, runs it before
   * answering. Throws `UnknownProfileError`, `CorpusError` (nothing is recorded then) and `DispatchError`.
   */
  async submit(request: IngestionRequest, options: { inRequest?: boolean } = {}): Promise<IngestionAccepted> {
    // A failure that could not be stored must not be reported as an active job.
    this.#worker.storeEnds()
    const { job, created } = await this.#claim(request)
    const inRequest = options.inRequest === true || (!this.#worker.started && this.#deps.dispatch === undefined)
    const ended = inRequest && !isTerminal(job.status) ? await this.#runToEnd(job.id) : job
    if (!created)
      return {
        ...accepted(ended, `Idempotent resubmission: this corpus and profile have a ${ended.status} job`),
        unchanged: job.status === 'completed',
      }
    if (inRequest) return { ...accepted(ended, `RAG ingestion ${ended.status}`), job_id: null }
    await this.#dispatch(job.id)
    return accepted(job, 'RAG ingestion queued')
  }

  /** The job's record; null when unknown. */
  get(id: string): IngestionRecord | null {
    const job = this.#shown(this.#jobs.get(id))
    return job === null ? null : toRecord(job)
  }

  /** Jobs, newest first; null for a cursor that this service did not give. */
  list(page: { cursor?: string | undefined; limit: number }): IngestionPage | null {
    const before = page.cursor === undefined ? null : readCursor(page.cursor)
    if (before === undefined) return null
    const jobs = this.#jobs.list(before, page.limit + 1)
    const shown = jobs.slice(0, page.limit)
    return {
      records: shown.map((job) => toRecord(this.#withUnstoredFailure(job))),
      nextCursor: jobs.length > page.limit ? writeCursor(shown.at(-1)!) : null,
    }
  }

  /** Cancels a job; it ends when its run notices. Null when unknown. */
  cancel(id: string): IngestionRecord | null {
    const job = this.#jobs.cancel(id)
    if (job === null) return null
    this.#worker.interrupt(id, new RunInterrupted('cancelled'))
    this.#worker.wake()
    return toRecord(job)
  }

  /** The record of a job once it has ended, in this process or another; throws `UnknownIngestionError` when it is gone. */
  async settled(id: string): Promise<IngestionRecord> {
    for (;;) {
      const job = this.#current(id)
      if (isTerminal(job.status)) return toRecord(job)
      await this.#worker.pause()
    }
  }

  /**
   * Forgets a profile for a cold start: its jobs (active runs end without writing), its collection, what was derived from it, and its
   * graph where this platform owns it.
   * Throws `UnknownProfileError`.
   */
  async resetProfile(profile: string): Promise<ProfileReset> {
    const declared = this.#profile(profile)
    const jobs = this.#jobs.deleteProfile(profile)
    for (const id of jobs) this.#worker.interrupt(id, new RunInterrupted('lease_lost'))
    const names = [collectionName(declared), ...DERIVED_PREFIXES.map((prefix) => `${prefix}_${profile}`)]
    const removed: string[] = []
    for (const name of names) {
      if (await this.#deps.store.remove(name)) removed.push(name)
    }
    for (const fileOf of [keptVectorsFile, keptTextsFile, keptCutsFile])
      removeKeptFile(fileOf(this.#deps.stateFile, collectionName(declared)))
    await graphTargetOf(this.#deps.graph, profile)?.clear?.()
    this.#worker.wake()
    return { profile, removed_collections: removed, removed_jobs: jobs }
  }

  /** Stops the worker, releases the active job, and closes the state store. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#worker.stop()
    this.#jobs.close()
  }

  async #claim(request: IngestionRequest): Promise<{ job: Job; created: boolean }> {
    const job = await this.#newJob(request)
    for (;;) {
      const latest = this.#jobs.latest(job.idempotencyKey)
      const judged = latest?.status === 'completed' ? { id: latest.id, intact: await this.#isIntact(latest) } : null
      const claim = this.#jobs.claimFingerprint(job, judged)
      if (claim.outcome !== 'stale') return { job: claim.job, created: claim.outcome === 'created' }
    }
  }

  async #newJob(request: IngestionRequest): Promise<NewJob> {
    const profile = this.#profile(request.profile)
    const corpusPath = effectivePath(profile, request.corpus_path)
    const { corpusRoots, limits, readInRequest = READ_IN_REQUEST } = this.#deps
    const listing = await listCorpus(corpusRoots, corpusPath, limits)
    const contentDigest = (await digestWithin(listing, limits, this.#jobs.knownHashes(), readInRequest)) ?? ''
    const revision = profileRevision(profile)
    const content = contentDigest === '' ? `unread ${listing.stateDigest}` : contentDigest
    return {
      id: randomUUID(),
      consumer: this.#deps.consumer,
      collection: collectionName(profile),
      idempotencyKey: idempotencyKey(this.#deps.consumer, revision, content),
      createdMs: this.#deps.clock.now(),
      order: { revision, contentDigest, corpusPath, profile, graph: request.graph ?? true },
    }
  }

  async #isIntact({ collection, order }: Job): Promise<boolean> {
    const info = await this.#deps.store.info(collection)
    return info?.contentDigest === collectionDigest(order.revision, order.contentDigest, this.#deps.embeddingSpace)
  }

  async #dispatch(id: string): Promise<void> {
    try {
      if (this.#deps.dispatch !== undefined) await this.#deps.dispatch(id)
      this.#worker.wake()
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      if (this.#jobs.failDispatch(id, message)) throw new DispatchError('Failed to queue RAG ingestion', { cause })
    }
  }

  async #runToEnd(id: string): Promise<Job> {
    for (;;) {
      const job = this.#current(id)
      if (isTerminal(job.status)) return job
      if (!(await this.#worker.runNext(id))) await this.#worker.pause()
    }
  }

  #current(id: string): Job {
    if (this.#closed) throw new StateStoreUnavailableError('the ingestion service is closed')
    const job = this.#shown(this.#jobs.get(id))
    if (job === null) throw new UnknownIngestionError(id)
    return job
  }

  /** A job for a caller by id: when no worker can run it because the store is read-only or full, that is an error, not a waiting job. */
  #shown(stored: Job | null): Job | null {
    if (stored === null) return null
    const job = this.#withUnstoredFailure(stored)
    const { unwritable } = this.#worker
    if (unwritable !== null && !isTerminal(job.status)) throw unwritable
    return job
  }

  #withUnstoredFailure(job: Job): Job {
    const progress = isTerminal(job.status) ? null : this.#worker.unstoredFailure(job.id)
    return progress === null ? job : { ...job, status: 'failed', progress }
  }

  #profile(name: string): IngestionProfile {
    const profile = this.#profiles.get(name)
    if (profile === undefined) throw new UnknownProfileError(name)
    return profile
  }
}

/** Opens the job store and the service on it; call `start` to work on jobs in this process. */
export function createIngestionService(options: IngestionOptions): IngestionService {
  return new IngestionService(options)
}

/** The profile's folder, or a folder inside it; both relative to the corpus root. */
function effectivePath(profile: IngestionProfile, requested: string | undefined): string {
  const home = profile.corpus.path.replace(/\/+$/, '')
  const asked = requested?.replace(/\/+$/, '') ?? home
  if (asked === home || asked.startsWith(`${home}/`)) return asked
  throw new CorpusError('bad_path', asked, `corpus_path '${asked}' is not inside the profile's folder '${home}'`)
}

const accepted = (job: Job, message: string): IngestionAccepted => ({
  ingestion_id: job.id,
  job_id: job.id,
  status: job.status,
  message,
  task: 'rag_ingestion',
  unchanged: false,
})

const writeCursor = (job: Job): string => Buffer.from(String(job.seq)).toString('base64url')

function readCursor(cursor: string): number | undefined {
  const seq = Buffer.from(cursor, 'base64url').toString()
  return /^[1-9]\d{0,14}$/.test(seq) ? Number(seq) : undefined
}
