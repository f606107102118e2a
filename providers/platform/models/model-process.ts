import type { ModelRole } from '../../../contract/manifests/models.ts'
import { describeEnd, startWork } from '../../kit/work/work-process.ts'
import type { WorkEnd, WorkProcess } from '../../kit/work/work-process.ts'
import { ModelCallError } from './model-host.ts'
import { modelWait } from './model-waits.ts'
import type { ModelCallErrorCode, OnText } from './model-host.ts'
import { OUT_OF_MEMORY_EXIT } from './limit-memory.ts'

/** Requests that may wait for one model; the next is refused. */
const MOST_WAITING = 64
/** Limits how long a process may take to end an answer that is no longer wanted; native code that is busy longer is killed. */
const ABORT_GRACE_MS = 1000
const MIB = 1024 * 1024
/** Of the memory that is free when a model is loaded, the share that its process may take. */
const FREE_SHARE = 0.9
export const MEMORY_REMEDY =
  'Use a smaller or more strongly quantized model, a smaller context_size in manifests/models.yaml, or close other programs'

/** States what a process of a model sends: pieces of an answer, why a request failed, or one reply under its name. */
type ProcessReply<Failure> = { piece: string } | { failed: Failure } | Readonly<Record<string, object>>

/** Describes the limits of one request, which may differ between roles that share a process. */
export interface RequestLimits {
  timeout_s: number
  /** The process ends when it had no request for this long. */
  keep_alive_s: number
}

export interface ModelProcessOptions<Failure> {
  entry: URL
  /** Names the model in errors. */
  label: string
  /** Sent before the first request as `load`, with `memoryBytes`, which the process keeps by `limitMemory`; answered by `loaded`. */
  load: object
  /** Null: what is free when the process starts. */
  memoryMib: number | null
  /** Called before the process starts. Throws `ModelCallError`. */
  assertReadable?(role: ModelRole): Promise<void>
  failure(role: ModelRole, failed: Failure): ModelCallError
}

/**
 * One model and its process, which starts with a request, gets one request at a time apart from `{ abort: true }`, and ends when there were none
 * for a while. A process that ended is started again by the next request.
 */
export class ModelProcess<Request extends object, Reply extends object, Failure> {
  readonly #options: ModelProcessOptions<Failure>
  #work: WorkProcess | null = null
  #memoryBytes = 0
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ModelProcessOptions<Failure>) {
    this.#options = options
  }

  /** One request in its turn, and its reply. Throws `ModelCallError`, and the signal's reason when it is aborted. */
  async ask(
    role: ModelRole,
    name: string,
    limits: RequestLimits,
    request: Request,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<Reply> {
    signal?.throwIfAborted()
    const { timeout_s: timeoutS, keep_alive_s: keepAliveS } = limits
    if (this.#waiting >= MOST_WAITING) {
      const detail = `${MOST_WAITING} requests already wait for ${name}`
      throw new ModelCallError('rate_limited', role, detail, { retryAfterMs: 5000, detail })
    }
    const turn = await modelWait(() => this.#takeTurn(signal))
    clearTimeout(this.#idle)
    const deadline = AbortSignal.timeout(timeoutS * 1000)
    try {
      const work = await this.#loaded(role, deadline, signal)
      return await this.#send(role, work, request, deadline, signal, onText)
    } catch (error) {
      signal?.throwIfAborted()
      if (!deadline.aborted) throw error
      const detail = `${name} gave no complete answer within ${timeoutS} s (timeout_s)`
      throw new ModelCallError('timeout', role, detail, { detail, cause: error })
    } finally {
      turn.release()
      if (this.#waiting === 0) this.#unloadAfter(keepAliveS * 1000)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#unload()
  }

  /** Waits for the requests before this one; one that is aborted meanwhile leaves the queue. */
  async #takeTurn(signal?: AbortSignal): Promise<{ release(): void }> {
    const before = this.#turn
    const done = Promise.withResolvers<null>()
    this.#turn = before.then(() => done.promise)
    const left = Promise.withResolvers<never>()
    const leave = (): void => left.reject(signal!.reason)
    signal?.addEventListener('abort', leave, { once: true })
    this.#waiting += 1
    try {
      await Promise.race([before, left.promise])
    } catch (error) {
      done.resolve(null)
      throw error
    } finally {
      this.#waiting -= 1
      signal?.removeEventListener('abort', leave)
    }
    return { release: () => done.resolve(null) }
  }

  async #loaded(role: ModelRole, deadline: AbortSignal, signal?: AbortSignal): Promise<WorkProcess> {
    if (this.#isClosed) throw new ModelCallError('unreachable', role, 'the model host is closed')
    if (this.#work?.isAlive === true) return this.#work
    const { entry, load, memoryMib } = this.#options
    await this.#options.assertReadable?.(role)
    this.#memoryBytes = memoryMib === null ? Math.floor(process.availableMemory() * FREE_SHARE) : memoryMib * MIB
    const work = startWork({ entry })
    this.#work = work
    work.onEnd(() => {
      if (this.#work === work) this.#work = null
    })
    try {
      const request = { load: { ...load, memoryBytes: this.#memoryBytes } }
      await this.#send(role, work, request, deadline, signal)
      return work
    } catch (error) {
      this.#unload()
      throw error
    }
  }

  /** One request and its reply. An abort that the process does not follow soon ends the process. */
  async #send(
    role: ModelRole,
    work: WorkProcess,
    request: object,
    deadline: AbortSignal,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<Reply> {
    const replied = Promise.withResolvers<ProcessReply<Failure>>()
    const signals = signal === undefined ? [deadline] : [deadline, signal]
    const stopReading = work.onMessage((message) => {
      const reply = message as ProcessReply<Failure>
      if (!('piece' in reply)) replied.resolve(reply)
      // Pieces that are under way when the caller leaves have no recipient.
      else if (!signals.some(({ aborted }) => aborted)) onText?.(reply.piece as string)
    })
    const stopWaiting = work.onEnd((end) => replied.reject(this.#endError(role, end)))
    let grace: NodeJS.Timeout | undefined
    const abort = (): void => {
      if (grace !== undefined) return
      work.send({ abort: true })
      grace = setTimeout(() => work.kill(), ABORT_GRACE_MS)
    }
    for (const each of signals) each.addEventListener('abort', abort, { once: true })
    work.hold()
    try {
      work.send(request)
      if (signals.some(({ aborted }) => aborted)) abort()
      const reply = await replied.promise
      if ('failed' in reply) throw this.#options.failure(role, reply.failed as Failure)
      return reply as Reply
    } finally {
      clearTimeout(grace)
      stopReading()
      stopWaiting()
      work.release()
      for (const each of signals) each.removeEventListener('abort', abort)
    }
  }

  #endError(role: ModelRole, end: WorkEnd): ModelCallError {
    const { label } = this.#options
    if (end.code === OUT_OF_MEMORY_EXIT) {
      const held = `the process held more than ${Math.floor(this.#memoryBytes / MIB)} MiB (memory_mib, else what was free)`
      return failed('not_configured', role, `Too little memory for ${label}: ${held}. ${MEMORY_REMEDY}`)
    }
    const hint = end.signal === 'SIGKILL' ? ', as systems do when memory runs out' : ''
    const next = 'The next call loads the model again'
    return failed('upstream_error', role, `The process of ${label} ended with ${describeEnd(end)}${hint}. ${next}`)
  }

  #unloadAfter(delayMs: number): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#unload(), delayMs)
    this.#idle.unref()
  }

  #unload(): void {
    clearTimeout(this.#idle)
    this.#work?.kill()
    this.#work = null
  }
}

/** The folder of a file is nothing for rows and callers elsewhere: errors name the file. */
export const failed = (code: ModelCallErrorCode, role: ModelRole, detail: string): ModelCallError =>
  new ModelCallError(code, role, detail, { detail })

export const unexpected = (role: ModelRole): ModelCallError =>
  failed('invalid_response', role, 'the process of the model sent an unexpected reply')
