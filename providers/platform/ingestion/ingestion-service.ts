// The ingestion turns the documents of a profile into a collection and a graph. In: the name of a profile (routes.ts). Out: a durable job that any process
// can follow, and collections whose record states what made them; an unchanged corpus is recognized and nothing is made again.
//   1. This file lists the corpus (corpus.ts), and gives the job of that fingerprint: one under way, one completed and intact, or a new one (job-record.ts).
//   2. The worker of background jobs (../jobs/task-worker.ts) claims the job, renews its lease and stores how it ended; run-job.ts runs its phases meanwhile,
//      and phase-log.ts stores each as it goes. job-store.ts keeps fingerprints beside the rows of job-tables.ts.
//   3. phases.ts discovers, parses (parsers.ts), chunks (chunking/), embeds and writes.
//   4. graph-phases.ts uploads the documents to the graph engine and waits until they are extracted.
// kept-file.ts and kept-vectors.ts keep what an interrupted job has made, so that the next one goes on from there.
// errors.ts separates what a caller did wrong from what failed in a phase.
import type { IngestionOptions, IngestionDeps } from './ingestion-deps.ts'
import { randomUUID } from 'node:crypto'
import { IngestionProfile as IngestionProfileSchema } from '../../../contract/manifests/consumer.ts'
import { profileNamed } from '../../../contract/manifests/rechunked-profile.ts'
import type { IngestionAccepted, IngestionRecord, IngestionRequest } from '../../../contract/http/ingestion.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { TaskWorker } from '../jobs/task-worker.ts'
import type { Database } from '../stores/database/database.ts'
import { collectionsOf } from '../stores/vector-store/collection-names.ts'
import { systemClock } from './clock.ts'
import { digestWithin, listCorpus } from './corpus.ts'
import type { ReadingBudget } from './corpus.ts'
import { CorpusError, StateStoreUnavailableError, UnknownIngestionError, UnknownProfileError } from './errors.ts'
import {
  chunksDerivation,
  collectionDigest,
  idempotencyKey,
  isTerminal,
  jobError,
  JobProgress,
  profileRevision,
  toRecord,
} from './job-record.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import type { Job, NewJob } from './job-record.ts'
import { JobStore } from './job-store.ts'
import { INGESTION, openJobDatabase } from './job-tables.ts'
import { fileHashes } from './file-hashes.ts'
import { KEPT, keptFilePath, removeKeptFile } from './kept-file.ts'
import { ingestionHandler } from './run-job.ts'

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

/** A store that cannot be written for this long is reported to callers that wait for jobs. */
const UNWRITABLE_AFTER_MS = 3000

const READ_IN_REQUEST: ReadingBudget = { files: 200, bytes: 8 * 1024 * 1024 }

/**
 * Durable ingestion of corpora into collections. Every method may throw `StateStoreUnavailableError`.
 *
 * A submission lists the corpus and reads only files that are new or changed by size and time, and of those only a few: a larger corpus is
 * read by its job, which has the fingerprint of the listing until then.
 *
 * A fingerprint (consumer, profile revision, corpus content) has one active job at a time. Submitting it again gives that job, or
 * the completed one while its result is valid: collection and graph carry the record of what would make them now, their bytes are as they
 * were written, and no other job is about to overwrite them. Otherwise, and after a failure or cancellation, it runs again as a new job.
 */
export class IngestionService {
  readonly #deps: IngestionDeps
  readonly #database: Database
  readonly #jobs: JobStore
  readonly #worker: TaskWorker
  readonly #profiles: readonly IngestionProfile[]
  #closed = false

  /** Opens the job store; call `start` to work on jobs in this process. */
  constructor(options: IngestionOptions) {
    if (!Number.isInteger(options.leaseSeconds) || options.leaseSeconds < 10 || options.leaseSeconds > 300) {
      throw new RangeError(`leaseSeconds must be an integer from 10 to 300, not ${options.leaseSeconds}`)
    }
    const { clock = systemClock, stateFile, leaseSeconds, logger } = options
    this.#database = openJobDatabase(stateFile)
    this.#deps = { ...options, clock, knownHashes: fileHashes(this.#database, clock.now) }
    this.#jobs = new JobStore(this.#database, leaseSeconds * 1000, clock.now)
    this.#worker = new TaskWorker({
      store: this.#jobs.tasks,
      handlers: { [INGESTION]: ingestionHandler(this.#deps, this.#jobs) },
      settings: { concurrency: 1, prefetchMultiplier: 1, softLimitMs: null, hardLimitMs: null },
      logger,
    })
    this.#profiles = options.profiles.map((profile) => IngestionProfileSchema.parse(profile))
  }

  /** Starts the worker of this process: it runs queued jobs, and those whose process died. */
  start(): void {
    this.#worker.start()
  }

  /**
   * Records a job for a profile's corpus and wakes the worker; with `inRequest`, runs it before answering. Throws `UnknownProfileError` and
   * `CorpusError` (nothing is recorded then).
   */
  async submit(request: IngestionRequest, { inRequest = false } = {}): Promise<IngestionAccepted> {
    // A failure that could not be stored must not be reported as an active job.
    await this.#worker.storeEnds()
    const { job, created } = await this.#claim(request)
    const ended = inRequest && !isTerminal(job.status) ? await this.#runToEnd(job.id) : job
    if (!created)
      return {
        ...accepted(ended, `Idempotent resubmission: this corpus and profile have a ${ended.status} job`),
        unchanged: job.status === 'completed',
      }
    if (inRequest) return { ...accepted(ended, `RAG ingestion ${ended.status}`), job_id: null }
    this.#worker.wake()
    return accepted(job, 'RAG ingestion queued')
  }

  /** The job's record; null when unknown. */
  async get(id: string): Promise<IngestionRecord | null> {
    const job = this.#shown(await this.#jobs.get(id))
    return job === null ? null : toRecord(job)
  }

  /** Jobs, newest first; null for a cursor that this service did not give. */
  async list(page: { cursor?: string | undefined; limit: number }): Promise<IngestionPage | null> {
    const before = page.cursor === undefined ? null : readCursor(page.cursor)
    if (before === undefined) return null
    const jobs = await this.#jobs.list(before, page.limit + 1)
    const shown = jobs.slice(0, page.limit)
    return {
      records: shown.map((job) => toRecord(this.#withUnstoredFailure(job))),
      nextCursor: jobs.length > page.limit ? writeCursor(shown.at(-1)!) : null,
    }
  }

  /** Cancels a job; it ends when its run notices. Null when unknown. */
  async cancel(id: string): Promise<IngestionRecord | null> {
    await this.#jobs.tasks.cancel(id)
    const job = await this.#jobs.get(id)
    if (job === null) return null
    this.#worker.cancel(id)
    this.#worker.wake()
    return toRecord(job)
  }

  /** The record of a job once it has ended, in this process or another; throws `UnknownIngestionError` when it is gone. */
  async settled(id: string): Promise<IngestionRecord> {
    for (;;) {
      const job = await this.#current(id)
      if (isTerminal(job.status)) return toRecord(job)
      await this.#worker.changed()
    }
  }

  /**
   * Forgets a profile for a cold start: its jobs (active runs end without writing), its collection, what was derived from it, and its
   * graph where this platform owns it.
   * Throws `UnknownProfileError`.
   */
  async resetProfile(profile: string): Promise<ProfileReset> {
    const declared = this.#profile(profile)
    const jobs = await this.#jobs.deleteProfile(profile)
    for (const id of jobs) this.#worker.cancel(id)
    const collections = collectionsOf(declared)
    const removed: string[] = []
    for (const name of Object.values(collections)) {
      if (await this.#deps.store.remove(name)) removed.push(name)
    }
    for (const what of KEPT) removeKeptFile(keptFilePath(this.#deps.stateFile, collections.plain, what))
    await this.#deps.graph?.(profile).clear?.()
    this.#worker.wake()
    return { profile, removed_collections: removed, removed_jobs: jobs }
  }

  /** Stops the worker, releases the active job, and closes the state store. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#worker.stop()
    await this.#database.close()
  }

  async #claim(request: IngestionRequest): Promise<{ job: Job; created: boolean }> {
    const job = await this.#newJob(request)
    for (;;) {
      const latest = await this.#jobs.latest(job.idempotencyKey)
      const judged =
        latest?.status === 'completed' ? { id: latest.id, intact: await this.#isIntact(latest, request) } : null
      const claim = await this.#jobs.claimFingerprint(job, judged)
      if (claim.outcome !== 'stale') return { job: claim.job, created: claim.outcome === 'created' }
    }
  }

  async #newJob(request: IngestionRequest): Promise<NewJob> {
    const profile = this.#profile(request.profile)
    const corpusPath = effectivePath(profile, request.corpus_path)
    const { corpusRoots, limits, knownHashes, readInRequest = READ_IN_REQUEST } = this.#deps
    const listing = await listCorpus(corpusRoots, corpusPath, limits)
    const contentDigest = (await digestWithin(listing, limits, knownHashes, readInRequest)) ?? ''
    const revision = profileRevision(profile)
    const content = contentDigest === '' ? `unread ${listing.stateDigest}` : contentDigest
    return {
      id: randomUUID(),
      consumer: this.#deps.consumer,
      collection: collectionsOf(profile).plain,
      idempotencyKey: idempotencyKey(this.#deps.consumer, revision, content),
      order: { revision, contentDigest, corpusPath, profile, graph: request.graph ?? true },
    }
  }

  /**
   * True when what the job made is still there, as it was written and by what would make it now: another model, entity types, prompt, chunker or
   * code than recorded, or a changed byte, makes a new job of it. The graph is only looked at for a submission that asks for it, and lacks nothing
   * but what failed where that is not tried again.
   */
  async #isIntact({ collection, order, progress }: Job, request: IngestionRequest): Promise<boolean> {
    const { store, embeddingSpace, graph, logger } = this.#deps
    const info = await store.info(collection)
    const expected = collectionDigest(chunksDerivation(order.profile, order.contentDigest, embeddingSpace))
    if (info?.contentDigest !== expected) {
      // A collection without some documents is completed only where that is asked for: answers of a run were made from it.
      const { left_out: leftOut, ...derivation } = info?.derivation ?? {}
      if (request.retry === true || leftOut === undefined || collectionDigest(derivation as Derivation) !== expected)
        return false
    }
    const damage = (await store.damage?.(collection)) ?? null
    if (damage !== null) {
      logger?.warn(`${damage}; it is built again`)
      return false
    }
    if (request.graph === false || !order.graph) return true
    const { documents_processed: processed = 0, documents_failed: failed = 0 } =
      progress.phases.find(({ name }) => name === 'drain')?.counts ?? {}
    return (
      (await graph?.(order.profile.name).isCurrent?.(request.retry === true ? processed + failed : processed)) ?? true
    )
  }

  async #runToEnd(id: string): Promise<Job> {
    for (;;) {
      const job = await this.#current(id)
      if (isTerminal(job.status)) return job
      if (!(await this.#worker.runNow(id))) await this.#worker.changed()
    }
  }

  async #current(id: string): Promise<Job> {
    if (this.#closed) throw new StateStoreUnavailableError('the ingestion service is closed')
    const job = this.#shown(await this.#jobs.get(id))
    if (job === null) throw new UnknownIngestionError(id)
    return job
  }

  /** A job for a caller by id: when no worker can run it because the store is read-only or full, that is an error, not a waiting job. */
  #shown(stored: Job | null): Job | null {
    if (stored === null) return null
    const job = this.#withUnstoredFailure(stored)
    const { failing } = this.#worker
    if (failing !== null && Date.now() - failing.sinceMs >= UNWRITABLE_AFTER_MS && !isTerminal(job.status))
      throw failing.error
    return job
  }

  #withUnstoredFailure(job: Job): Job {
    const end = isTerminal(job.status) ? undefined : this.#worker.unstoredEnd(job.id)
    if (end === undefined) return job
    const progress = JobProgress.parse(end.progress ?? job.progress)
    if (progress.errors.every(({ message }) => !message.includes(end.error.message)))
      progress.errors.push(jobError('finalize', end.error.message))
    return { ...job, status: 'failed', progress }
  }

  #profile(name: string): IngestionProfile {
    const profile = profileNamed(this.#profiles, name)
    if (profile === undefined) throw new UnknownProfileError(name)
    return profile
  }
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
