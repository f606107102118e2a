import { hash } from 'node:crypto'
import type { KnownChanges } from './chunking/chunk-in-turns.ts'
import type { SubjectChanges } from './chunking/semantic.ts'
import { PhaseLog } from './phase-log.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import { messageOf } from '../../../core/json.ts'
import { TaskCancelled } from '../jobs/task-worker.ts'
import type { TaskHandler, TaskRun } from '../jobs/task-worker.ts'
import { giveBackFreedMemory } from '../models/freed-memory.ts'
import { PhaseFailure } from './errors.ts'
import { runGraphPhases } from './graph-phases.ts'
import type { IngestionDeps } from './ingestion-deps.ts'
import { chunksDerivation, collectionDigest, idempotencyKey, jobError } from './job-record.ts'
import type { Job } from './job-record.ts'
import { embedMissing } from '../stores/vector-store/stored-vectors.ts'
import { InvalidVectorError } from '../stores/vector-store/vector-store.ts'
import type { JobStore } from './job-store.ts'
import { keptFilePath, openKeptFile, type KeptFile } from './kept-file.ts'
import { openKeptVectors } from './kept-vectors.ts'
import type { KeptVectors } from './kept-vectors.ts'
import { LeftOutDocuments } from './left-out-documents.ts'
import { plainTextParser, type ParsedDocument } from './parsers.ts'
import { chunk, discover, embedChunks, finalize, parse, writeVectors } from './phases.ts'
import type { Document } from './phases.ts'

/**
 * Handler of ingestions: all phases of a job, with their progress. When it fails, the progress names the phase and the reason; the worker stores
 * both with the end.
 */
export function ingestionHandler(deps: IngestionDeps, jobs: JobStore): TaskHandler {
  return async (run) => {
    const job = (await jobs.get(run.task.id))!
    const log = new PhaseLog(deps.clock.now, run.show)
    const file = keptFilePath(deps.stateFile, job.collection, 'vectors')
    const kept = openKeptVectors(file, deps.embeddingSpace, deps.embed)
    try {
      await runPhases(deps, jobs, job, run, log, kept)
      return { result: null }
    } catch (error) {
      // An aborted call may throw an error of its own: the reason of the abort counts.
      if (run.signal.reason instanceof TaskCancelled) log.end('cancelled', null)
      else if (!run.signal.aborted) recordFailure(log, error)
      // The next run must not fail by the same vectors. Those of a cancelled one are kept: a person who pauses a run cancels its ingestion.
      if (error instanceof InvalidVectorError) kept.remove()
      throw error
    } finally {
      kept.close()
      giveBackFreedMemory()
    }
  }
}

async function runPhases(
  deps: IngestionDeps,
  jobs: JobStore,
  job: Job,
  run: TaskRun,
  log: PhaseLog,
  kept: KeptVectors,
): Promise<void> {
  const { store, clock } = deps
  const { signal } = run
  const { order, collection } = job
  const { profile } = order
  // 1. Discover the files of the corpus, and parse them into documents.
  const { documents, contentDigest } = await readCorpus(deps, jobs, job, run, log)
  // 2. Chunk, embed, and write the vectors, unless the collection has this corpus already.
  const expected = await writeCollection(deps, job, documents, contentDigest, log, kept, run)
  // 3. Upload the documents to the graph engine, and wait until it has extracted them.
  const graph = order.graph ? (deps.graph?.(profile.name) ?? NO_ENGINE) : NOT_ASKED_FOR
  await runGraphPhases(log, graph, profile.graph_target, documents, clock, signal)
  // 4. Check that the collection is what was written.
  await log.run('finalize', () => finalize(store, collection, expected))
}

/** discover and parse. The list of files ends with this call: it is about a kilobyte for each document. */
async function readCorpus(
  deps: IngestionDeps,
  jobs: JobStore,
  { order, collection }: Job,
  { lease, signal }: TaskRun,
  log: PhaseLog,
): Promise<{ documents: Document[]; contentDigest: string }> {
  const { profile, revision } = order
  const parsers = [...(deps.parsers ?? []), plainTextParser]
  const { files, contentDigest } = await log.run('discover', (count) =>
    discover(deps.corpusRoots, order, deps.limits, deps.knownHashes, signal, count),
  )
  if (order.contentDigest === '')
    await jobs.identify(lease, { ...order, contentDigest }, idempotencyKey(deps.consumer, revision, contentDigest))
  const kept = openKeptFile<ParsedDocument>(keptFilePath(deps.stateFile, collection, 'texts'), 'texts', 'parsed')
  const documents = await pruned(kept, () =>
    log.run('parse', (count) => parse(files, profile.parser_order, parsers, kept, signal, count)),
  )
  return { documents, contentDigest }
}

const NO_ENGINE = 'graph engine not available'
const NOT_ASKED_FOR = 'no approach of the run reads the graph'

/** chunk to vector_write: what the collection must be then, null where none was written. Its chunks and vectors end with this call. */
async function writeCollection(
  deps: IngestionDeps,
  { collection, order: { profile } }: Job,
  documents: readonly Document[],
  contentDigest: string,
  log: PhaseLog,
  kept: KeptVectors,
  { checkLease, signal }: TaskRun,
): Promise<{ contentDigest: string; chunkCount: number } | null> {
  const { store, embeddingSpace: embeddingModel } = deps
  const derivation = chunksDerivation(profile, contentDigest, embeddingModel)
  const digest = collectionDigest(derivation)
  const damage = (await store.damage?.(collection, signal)) ?? null
  if (damage !== null) {
    await log.warn(`${damage}; it was built again`)
    await store.remove(collection)
  }
  const current = await store.info(collection)
  if (current?.contentDigest === digest) {
    const skip = { result: undefined, status: 'skipped', note: 'the collection has this corpus already' } as const
    await log.run('chunk', () => Promise.resolve(skip))
    await log.run('embed', () => Promise.resolve(skip))
    await log.run('vector_write', (count) => {
      count('chunks_written', current.chunkCount)
      return Promise.resolve(skip)
    })
    return { contentDigest: digest, chunkCount: current.chunkCount }
  }
  const leftOut = new LeftOutDocuments(documents.length)
  const cut = await cutDocuments(deps, collection, profile, (known) =>
    log.run('chunk', (count) => chunk(documents, profile, kept.embed, known, leftOut, signal, count)),
  )
  // The collection as it is has the vectors of every chunk that did not change.
  const missing = await embedMissing(store, collection, embeddingModel, kept.embed)
  const { chunks, vectors } = await log.run('embed', async (count) => {
    const outcome = await embedChunks(cut, missing.embed, kept, leftOut, signal, count)
    if (missing.reused > 0) count('chunks_unchanged', missing.reused)
    if (kept.reused > 0) count('vectors_reused', kept.reused)
    if (leftOut.count > 0) count('documents_not_embedded', leftOut.count)
    return { ...outcome, note: kept.problem }
  })
  const warning = leftOut.warning()
  if (warning !== null) await log.warn(warning)
  const source = {
    dimensions: vectors.at(0)!.length,
    embeddingModel,
    // Without some of its documents the collection is another one, which the next ingestion completes.
    ...(leftOut.count === 0
      ? { contentDigest: digest, derivation }
      : {
          contentDigest: hash('sha256', JSON.stringify([digest, leftOut.paths])),
          derivation: {
            ...derivation,
            left_out: { documents: documents.length, without_vectors: leftOut.count },
          },
        }),
  }
  const { on_unavailable: onUnavailable } = profile.vector_target
  const written = await log.run('vector_write', async (count) => {
    await deps.prepare?.(collection, source.contentDigest, chunks)
    return writeVectors(store, collection, source, chunks, vectors, onUnavailable, checkLease, count)
  })
  if (!written) return null
  kept.remove()
  return { contentDigest: source.contentDigest, chunkCount: chunks.length }
}

/** Work with a kept file: what the work did not use leaves the file, unless the work is interrupted. */
async function pruned<Result>(kept: KeptFile<unknown>, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work()
    kept.prune()
    return result
  } finally {
    kept.close()
  }
}

/** Cuts of a semantic chunker are kept with the collection; other chunkers embed nothing. */
async function cutDocuments<Result>(
  { stateFile, embeddingSpace }: IngestionDeps,
  collection: string,
  { chunker }: IngestionProfile,
  cut: (known: KnownChanges | null) => Promise<Result>,
): Promise<Result> {
  if (chunker.strategy !== 'semantic') return cut(null)
  const cuts = openKeptFile<SubjectChanges>(keptFilePath(stateFile, collection, 'cuts'), 'cuts', 'changes')
  const keyOf = (text: string): string => `${JSON.stringify([embeddingSpace, chunker])}\0${text}`
  const known: KnownChanges = {
    get: (text) => cuts.get(keyOf(text)),
    put: (text, changes) => cuts.put(keyOf(text), changes),
  }
  return pruned(cuts, () => cut(known))
}

function recordFailure(log: PhaseLog, error: unknown): void {
  const message = messageOf(error)
  const phase = log.end('failed', message)?.name ?? 'finalize'
  const { errors } = log.progress
  if (!(error instanceof PhaseFailure)) {
    errors.push(jobError(phase, message))
    return
  }
  const { file = null, service = null, httpStatus = null, body = null, documents = [] } = error.detail
  errors.push({ ...jobError(error.phase, message), file, service, http_status: httpStatus, body })
  for (const { document, error: reason } of documents)
    errors.push({ ...jobError(error.phase, reason), file: document, service })
}
