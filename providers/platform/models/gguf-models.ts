import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { modelNameOf } from '../../../contract/index.ts'
import type { ModelOf, ModelRole } from '../../../contract/index.ts'
import { moduleEntry } from '../../kit/module-entry.ts'
import { describeEnd, startWork } from '../../kit/work/work-process.ts'
import type { WorkEnd, WorkProcess } from '../../kit/work/work-process.ts'
import { OUT_OF_MEMORY_EXIT } from './gguf-protocol.ts'
import type {
  GgufAnswer,
  GgufChat,
  GgufFailure,
  GgufLoad,
  GgufReply,
  GgufRequest,
  GgufVectors,
} from './gguf-protocol.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelCallErrorCode, OnText } from './model-host.ts'

/** Requests that may wait for one model; the next is refused. */
const MOST_WAITING = 64
/** How long a process may take to end an answer that is no longer wanted; native code that is busy longer is killed. */
const ABORT_GRACE_MS = 1000
const MIB = 1024 * 1024
/** Of the memory that is free when a model is loaded, the share that its process may take. */
const FREE_SHARE = 0.9

/** GGUF files that are loaded, one process each, however many roles use them. */
export interface GgufModels {
  /** One answer. Answers of one file wait for each other. Throws `ModelCallError`, and the signal's reason when it is aborted. */
  chat(
    role: ModelRole,
    choice: ModelOf<'gguf'>,
    request: GgufChat,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<GgufAnswer>
  /** Vectors of a few texts, not yet of unit length. Rejects as `chat` does. */
  embed(role: ModelRole, choice: ModelOf<'gguf'>, texts: readonly string[], signal?: AbortSignal): Promise<GgufVectors>
  /** Bytes that the processes of each file held when they last answered, by its path; without those that have ended. */
  memory(): ReadonlyMap<string, number>
  close(): Promise<void>
}

/** `entry` is the module of the process; tests replace it. */
export function createGgufModels(entry: URL = moduleEntry('./gguf-child', import.meta.url)): GgufModels {
  const models = new Map<string, GgufModel>()
  function modelOf(choice: ModelOf<'gguf'>, task: GgufLoad['task']): GgufModel {
    const settings = settingsOf(choice, task)
    const key = JSON.stringify(settings)
    const model = models.get(key) ?? new GgufModel(settings, entry)
    models.set(key, model)
    return model
  }
  return {
    async chat(role, choice, chat, signal, onText) {
      const reply = await modelOf(choice, 'generation').ask(role, choice, { chat }, signal, onText)
      if (!('answered' in reply)) throw unexpected(role)
      return reply.answered
    },
    async embed(role, choice, texts, signal) {
      const reply = await modelOf(choice, 'embedding').ask(role, choice, { embed: texts }, signal)
      if (!('embedded' in reply)) throw unexpected(role)
      return reply.embedded
    },
    memory() {
      const held = new Map<string, number>()
      for (const { path, rssBytes } of models.values())
        if (rssBytes !== null) held.set(path, (held.get(path) ?? 0) + rssBytes)
      return held
    },
    async close() {
      for (const model of models.values()) model.close()
      models.clear()
    },
  }
}

/** What a load depends on. */
type LoadSettings = Omit<GgufLoad, 'memoryBytes'> & { memoryMib: number | null }

const settingsOf = (choice: ModelOf<'gguf'>, task: GgufLoad['task']): LoadSettings => ({
  path: resolve(choice.model),
  task,
  contextSize: choice.context_size,
  gpu: choice.gpu,
  threads: choice.threads,
  memoryMib: choice.memory_mib,
})

function loadOf({ memoryMib, ...settings }: LoadSettings): GgufLoad {
  const memoryBytes = memoryMib === null ? Math.floor(process.availableMemory() * FREE_SHARE) : memoryMib * MIB
  return { ...settings, memoryBytes }
}

/** One file and its process, which starts with a request and ends when there were none for `keep_alive_s`. */
class GgufModel {
  #load: GgufLoad
  readonly #settings: LoadSettings
  readonly #entry: URL
  #work: WorkProcess | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false
  rssBytes: number | null = null

  constructor(settings: LoadSettings, entry: URL) {
    this.#settings = settings
    this.#load = loadOf(settings)
    this.#entry = entry
  }

  get path(): string {
    return this.#load.path
  }

  /** One request in its turn, and its reply. */
  async ask(
    role: ModelRole,
    choice: ModelOf<'gguf'>,
    request: { chat: GgufChat } | { embed: readonly string[] },
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<GgufReply> {
    signal?.throwIfAborted()
    if (this.#waiting >= MOST_WAITING) {
      const detail = `${MOST_WAITING} requests already wait for ${modelNameOf(choice)}`
      throw new ModelCallError('rate_limited', role, detail, { retryAfterMs: 5000, detail })
    }
    const turn = await this.#takeTurn(signal)
    clearTimeout(this.#idle)
    const deadline = AbortSignal.timeout(choice.timeout_s * 1000)
    try {
      const work = await this.#loaded(role, deadline, signal)
      const reply = await this.#send(role, work, request, deadline, signal, onText)
      if ('answered' in reply) this.rssBytes = reply.answered.rssBytes
      if ('embedded' in reply) this.rssBytes = reply.embedded.rssBytes
      return reply
    } catch (error) {
      signal?.throwIfAborted()
      if (!deadline.aborted) throw error
      const detail = `${modelNameOf(choice)} gave no complete answer within ${choice.timeout_s} s (timeout_s)`
      throw new ModelCallError('timeout', role, detail, { detail, cause: error })
    } finally {
      turn.release()
      if (this.#waiting === 0) this.#unloadAfter(choice.keep_alive_s * 1000)
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
    await this.#assertReadable(role)
    this.#load = loadOf(this.#settings)
    const work = startWork({ entry: this.#entry })
    this.#work = work
    work.onEnd(() => {
      if (this.#work !== work) return
      this.#work = null
      this.rssBytes = null
    })
    try {
      const reply = await this.#send(role, work, { load: this.#load }, deadline, signal)
      if (!('loaded' in reply)) throw unexpected(role)
      this.rssBytes = reply.loaded.rssBytes
      return work
    } catch (error) {
      this.#unload()
      throw error
    }
  }

  async #assertReadable(role: ModelRole): Promise<void> {
    const isFile = await stat(this.path).then(
      (found) => found.isFile(),
      () => false,
    )
    if (!isFile) throw fileError(role, this.path, 'there is no such file', 'Download a GGUF file and name its path')
  }

  /** One request and its reply. An abort that the process does not follow soon ends the process. */
  async #send(
    role: ModelRole,
    work: WorkProcess,
    request: GgufRequest,
    deadline: AbortSignal,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<GgufReply> {
    const replied = Promise.withResolvers<GgufReply>()
    const signals = signal === undefined ? [deadline] : [deadline, signal]
    const stopReading = work.onMessage((message) => {
      const reply = message as GgufReply
      if (!('piece' in reply)) replied.resolve(reply)
      // Pieces that are under way when the caller leaves have no recipient.
      else if (!signals.some(({ aborted }) => aborted)) onText?.(reply.piece)
    })
    const stopWaiting = work.onEnd((end) => replied.reject(endError(role, this.#load, end)))
    let grace: NodeJS.Timeout | undefined
    const abort = (): void => {
      if (grace !== undefined) return
      work.send({ abort: true } satisfies GgufRequest)
      grace = setTimeout(() => work.kill(), ABORT_GRACE_MS)
    }
    for (const each of signals) each.addEventListener('abort', abort, { once: true })
    work.hold()
    try {
      work.send(request)
      if (signals.some(({ aborted }) => aborted)) abort()
      const reply = await replied.promise
      if ('failed' in reply) throw failure(role, this.#load, reply.failed)
      return reply
    } finally {
      clearTimeout(grace)
      stopReading()
      stopWaiting()
      work.release()
      for (const each of signals) each.removeEventListener('abort', abort)
    }
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
    this.rssBytes = null
  }
}

/** The folder of a file is nothing for rows and callers elsewhere: errors name the file. */
const failed = (code: ModelCallErrorCode, role: ModelRole, detail: string): ModelCallError =>
  new ModelCallError(code, role, detail, { detail })

const unexpected = (role: ModelRole): ModelCallError =>
  failed('invalid_response', role, 'the process of the model sent an unexpected reply')

const fileError = (role: ModelRole, path: string, problem: string, remedy: string): ModelCallError =>
  failed('not_configured', role, `${basename(path)} cannot be loaded: ${problem}. ${remedy} in manifests/models.yaml`)

const MEMORY_REMEDY =
  'Use a smaller or more strongly quantized model, a smaller context_size in manifests/models.yaml, or close other programs'

/** What a request failed with, and what to do. */
function failure(role: ModelRole, { path }: GgufLoad, { fault, message, numbers }: GgufFailure): ModelCallError {
  switch (fault) {
    case 'no_runtime': {
      const system = `${process.platform}-${process.arch}`
      const remedy = `Install the packages again with optional ones (npm ci), or choose another model set`
      return failed('not_configured', role, `llama.cpp has no build for ${system} in this installation. ${remedy}`)
    }
    case 'memory':
      return failed('not_configured', role, `Too little memory for ${basename(path)}: ${message}. ${MEMORY_REMEDY}`)
    case 'damaged':
      return fileError(
        role,
        path,
        message,
        'The file may be damaged or incomplete: download it again, or name another one',
      )
    case 'too_long': {
      const { promptTokens, maxTokens, contextSize } = numbers!
      const size = `The prompt has ${promptTokens} tokens and its answer may have ${maxTokens}, but the context holds ${contextSize}`
      const remedy = 'Shorten the prompt, lower max_tokens, or set a larger context_size in manifests/models.yaml'
      return failed('context_length_exceeded', role, `${size}. ${remedy}`)
    }
    case 'bad_schema':
      return failed('bad_request', role, message)
    case 'aborted':
    case 'failed':
      return failed('upstream_error', role, `${basename(path)} failed: ${message}`)
  }
}

function endError(role: ModelRole, { path, memoryBytes }: GgufLoad, end: WorkEnd): ModelCallError {
  if (end.code === OUT_OF_MEMORY_EXIT) {
    const limit = `the process held more than ${Math.floor(memoryBytes / MIB)} MiB (memory_mib, else what was free)`
    return failed('not_configured', role, `Too little memory for ${basename(path)}: ${limit}. ${MEMORY_REMEDY}`)
  }
  const hint = end.signal === 'SIGKILL' ? ', as systems do when memory runs out' : ''
  const next = 'The next call loads the model again'
  return failed(
    'upstream_error',
    role,
    `The process of ${basename(path)} ended with ${describeEnd(end)}${hint}. ${next}`,
  )
}
