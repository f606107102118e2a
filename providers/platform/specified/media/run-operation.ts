import { hash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ObjectStore, StagedBytes } from '../storage/object-store.ts'
import type { ReceivedFile } from '../storage/receive-file.ts'
import type { Queries } from '../../stores/database/database.ts'
import { PostponedTask } from '../../jobs/task-worker.ts'
import type { TaskHandler, TaskOutcome, TaskRun } from '../../jobs/task-worker.ts'
import { ProviderCallError } from './hosted-provider.ts'
import type { HostedProvider, ProviderState } from './hosted-provider.ts'
import { imageSize } from './input-images.ts'
import { LocalInput, seedOf } from './comfyui-client.ts'
import { isEnded } from './operation-store.ts'
import type { Artifact, EndedStatus, Ending, MediaOperation, OperationStore, ProviderName } from './operation-store.ts'

export const MEDIA = 'media'
/** Bucket of generated files; no upload reaches it unless STORAGE_BUCKETS names it. */
export const ARTIFACTS = 'media-artifacts'
/** An open operation always has a background job, however often its process ends. */
export const MEDIA_ATTEMPTS = 1_000_000

/** Describes what the background job of an operation carries; everything else is the operation's row. */
export const MediaTask = z.object({ input: z.record(z.string(), z.unknown()) })
export type MediaTask = z.infer<typeof MediaTask>

export interface MediaRunDeps {
  operations: OperationStore
  objects: ObjectStore
  /** Null while a provider is disabled. */
  providers: Readonly<Record<ProviderName, HostedProvider | null>>
  imageMaxBytes: number
  fileMaxBytes: number
  /** Between two questions for the state of a request. */
  pollMs?: number
}

const POLL_MS = 1000
/** Waits that nothing but a person or a later attempt ends are longer than a poll by these factors. */
const AFTER_FAILURE = 5
const UNKNOWN = 30
/** Limits how long a submission may go on when the process stops: without its answer the outcome would be unknown. */
const SUBMISSION_GRACE_MS = 3000

const MEDIA_TYPES: Record<string, string> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
}
const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
}

/** A file that is on disk and not in the object store yet. */
interface Kept {
  file: ReceivedFile
  artifact: Artifact
}

/**
 * Handler of media operations. Each takes one step at a time (submit, ask, fetch) and is postponed in between, so that waiting for a provider takes
 * no place; each step reads what the last one stored, in whichever process that was. A request is
 * submitted at most once: where it is unknown whether that happened, the operation waits as `submission_unknown`.
 */
export function runMedia(deps: MediaRunDeps): TaskHandler {
  const { operations, objects, pollMs = POLL_MS } = deps

  return async (run) => {
    const operation = await operations.get(run.task.id)
    if (operation === null || isEnded(operation)) return { result: null }
    try {
      return await step(run, operation)
    } catch (error) {
      run.signal.throwIfAborted()
      // A busy database or a full disk: the stored state defines where the next attempt goes on.
      throw error instanceof PostponedTask ? error : new PostponedTask(pollMs * AFTER_FAILURE)
    }
  }

  function ended(id: string, ending: Ending): TaskOutcome {
    return {
      result: null,
      effects: async (tx) => {
        await operations.endIn(tx, id, ending)
      },
    }
  }

  /** Stores the files and ends the operation, in one transaction: an operation that another process has ended keeps none. */
  async function succeeded(id: string, files: readonly Kept[], ending: Ending): Promise<TaskOutcome> {
    const staged: StagedBytes[] = []
    const cleanUp = async (): Promise<void> => {
      for (const place of staged) await objects.discard(place)
    }
    try {
      for (const { file } of files) staged.push(await objects.stage(ARTIFACTS, file))
    } catch (error) {
      await cleanUp().catch(() => {})
      throw error
    }
    const effects = async (tx: Queries): Promise<void> => {
      const current = await operations.get(id, tx)
      if (current === null || isEnded(current)) return
      for (const [index, { artifact }] of files.entries()) {
        const { name } = artifact
        const refusal = await objects.add(tx, { bucket: ARTIFACTS, name, subject: current.subject }, staged[index]!)
        if (refusal === null) continue
        for (const kept of files.slice(0, index)) await objects.forget(tx, ARTIFACTS, kept.artifact.name)
        const error = 'The generated file would exceed the storage quota (STORAGE_QUOTA_BYTES)'
        await operations.endIn(tx, id, { ...ending, status: 'failed', error })
        return
      }
      await operations.endIn(tx, id, { ...ending, artifacts: files.map(({ artifact }) => artifact) })
    }
    return { result: null, effects, cleanUp }
  }

  async function step(run: TaskRun, operation: MediaOperation): Promise<TaskOutcome> {
    const { id, status } = operation
    const hosted = deps.providers[operation.provider]
    switch (status) {
      case 'queued': {
        const free: Pick<Ending, 'settlement'> = { settlement: { state: 'released' } }
        if (Date.now() >= operation.deadlineMs)
          return ended(id, { ...free, status: 'timeout', error: 'not submitted within its timeout_seconds' })
        if (hosted === null) return ended(id, { ...free, status: 'failed', error: 'The provider is disabled' })
        return submit(run, operation, hosted)
      }
      case 'submitting':
        // Only the process that submits leaves this state, and it has lost the operation.
        if (await operations.submissionUnknown(id))
          run.log('Its process ended during the submission: reconcile the cost')
        throw new PostponedTask(pollMs * UNKNOWN)
      case 'running':
      case 'cancellation_requested':
        // A disabled provider cannot be asked.
        if (hosted === null) throw new PostponedTask(pollMs * UNKNOWN)
        return follow(run, operation, hosted)
      default:
        throw new PostponedTask(pollMs * UNKNOWN)
    }
  }

  async function submit(run: TaskRun, { id, model }: MediaOperation, hosted: HostedProvider): Promise<TaskOutcome> {
    const input = inputOf(run)
    run.signal.throwIfAborted()
    if (!(await operations.begin(id))) throw new PostponedTask(0)
    const grace = new AbortController()
    const stop = (): void => void setTimeout(() => grace.abort(), SUBMISSION_GRACE_MS).unref()
    run.signal.addEventListener('abort', stop, { once: true })
    const submission = await hosted.submit(model, input, grace.signal)
    run.signal.removeEventListener('abort', stop)
    switch (submission.outcome) {
      case 'accepted':
        await operations.submitted(id, submission.providerId)
        run.log('Submitted')
        throw new PostponedTask(pollMs)
      case 'refused':
        if (submission.isTransient) {
          await operations.notSubmitted(id)
          throw new PostponedTask(pollMs * AFTER_FAILURE)
        }
        return ended(id, { status: 'failed', settlement: { state: 'released' }, error: submission.message })
      case 'unknown':
        await operations.submissionUnknown(id)
        run.log(`The outcome of the submission is unknown: ${submission.message}`)
        throw new PostponedTask(pollMs * UNKNOWN)
    }
  }

  async function follow(run: TaskRun, operation: MediaOperation, hosted: HostedProvider): Promise<TaskOutcome> {
    const { id, model, providerId } = operation
    // A picture that a version before this one was drawing itself.
    if (providerId === null)
      return ended(id, { status: 'failed', settlement: { state: 'released' }, error: 'its process ended' })
    if (operation.status === 'running' && Date.now() >= operation.deadlineMs) await operations.expire(id)
    const { status, isLate } = (await operations.get(id))!
    const isCancelling = status === 'cancellation_requested'
    let state: ProviderState
    try {
      if (isCancelling) await hosted.cancel(model, providerId, run.signal)
      state = await hosted.state(model, providerId, run.signal)
    } catch (error) {
      run.signal.throwIfAborted()
      // Without an answer nothing is known: the reservation stays.
      if (error instanceof ProviderCallError) throw new PostponedTask(pollMs * AFTER_FAILURE)
      throw error
    }
    const free: Pick<Ending, 'settlement'> = { settlement: { state: 'released' } }
    const cancelled: EndedStatus = isLate ? 'timeout' : 'cancelled'
    const why = isLate ? 'not finished within its timeout_seconds' : 'cancelled'
    switch (state.state) {
      case 'open':
        throw new PostponedTask(pollMs)
      case 'completed':
        return fetchResult(run, operation, hosted)
      case 'failed':
        return ended(id, { ...free, status: 'failed', error: state.message })
      case 'cancelled':
        return ended(id, { ...free, status: cancelled, error: why })
      case 'gone':
        // A request that is cancelled in the queue is removed from it.
        if (isCancelling) return ended(id, { ...free, status: cancelled, error: why })
        await operations.submissionUnknown(id)
        run.log('The provider does not know the request any more: reconcile the cost')
        throw new PostponedTask(pollMs * UNKNOWN)
    }
  }

  /** The work is done and charged, whatever becomes of its files. */
  async function fetchResult(run: TaskRun, operation: MediaOperation, hosted: HostedProvider): Promise<TaskOutcome> {
    const { id, model, price, modality } = operation
    const costOf = (count: number): number | null => (price === null ? null : price * Math.max(1, count))
    const files: Kept[] = []
    let count = 1
    try {
      const { raw, files: remote } = await hosted.result(model, operation.providerId!, run.signal)
      count = remote.length
      if (count === 0) throw new ProviderCallError('The provider’s result has no file', false)
      for (const [index, { url, mediaType }] of remote.entries()) {
        const limit = modality === 'image' ? deps.imageMaxBytes : deps.fileMaxBytes
        const got = await hosted.download(url, limit, run.signal)
        files.push(await keepHosted(operation, index, got.bytes, got.mediaType ?? mediaType))
      }
      return await succeeded(id, files, {
        status: 'succeeded',
        settlement: { state: 'committed', cost: costOf(count) },
        raw,
        provenance: {
          request_id: operation.providerId,
          completed_at: new Date().toISOString(),
          ...(operation.provider === 'local' ? { seed: seedOf(LocalInput.parse(inputOf(run))) } : {}),
        },
      })
    } catch (error) {
      discard(files)
      run.signal.throwIfAborted()
      const isTransient = !(error instanceof ProviderCallError) || error.isTransient
      if (isTransient && Date.now() < operation.deadlineMs) throw new PostponedTask(pollMs * AFTER_FAILURE)
      return ended(id, {
        status: isTransient ? 'timeout' : 'failed',
        settlement: { state: 'committed', cost: costOf(count) },
        error: error instanceof ProviderCallError ? error.message : 'The generated files cannot be stored',
      })
    }
  }

  async function keepHosted({ id, modality }: MediaOperation, index: number, bytes: Buffer, named: string | null) {
    if (modality !== 'image') {
      const type = named?.split(';')[0]?.trim().toLowerCase() ?? ''
      if (EXTENSIONS[type] === undefined || !type.startsWith(`${modality}/`))
        throw new ProviderCallError(`A generated file is not a ${modality}`, false)
      return keepFile(id, index, bytes, type, null)
    }
    // An image's type follows from its bytes, not from its sender.
    const size = await imageSize(bytes)
    const type = MEDIA_TYPES[size?.format ?? '']
    if (size === null || type === undefined) throw new ProviderCallError('A generated file is not an image', false)
    return keepFile(id, index, bytes, type, size)
  }

  /** Writes a file where the object store takes it from, synced. */
  async function keepFile(
    id: string,
    index: number,
    bytes: Buffer,
    mediaType: string,
    size: { width: number; height: number } | null,
  ): Promise<Kept> {
    const temporaryFile = join(objects.incoming, randomUUID())
    const handle = await open(temporaryFile, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const sha256 = hash('sha256', bytes)
    const name = `${id}-${index + 1}.${EXTENSIONS[mediaType]!}`
    return {
      file: { filename: name, mediaType, temporaryFile, sizeBytes: bytes.length, sha256 },
      artifact: {
        name,
        media_type: mediaType,
        size_bytes: bytes.length,
        sha256,
        width: size?.width ?? null,
        height: size?.height ?? null,
      },
    }
  }
}

const inputOf = (run: TaskRun): MediaTask['input'] => MediaTask.parse(run.task.payload).input

function discard(files: readonly Kept[]): void {
  for (const { file } of files) rmSync(file.temporaryFile, { force: true })
}
