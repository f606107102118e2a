import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { modelNameOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import type {
  GgufAnswer,
  GgufChat,
  GgufFailure,
  GgufLoad,
  GgufReply,
  GgufRequest,
  GgufVectors,
} from './gguf-protocol.ts'
import type { ModelCallError, OnText } from '../model-host.ts'
import { failed, MEMORY_REMEDY, ModelProcess, unexpected } from '../model-process.ts'

type GgufProcess = ModelProcess<Exclude<GgufRequest, { abort: true } | { load: GgufLoad }>, GgufReply, GgufFailure>

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
  close(): Promise<void>
}

/** `entry` is the module of the process; tests replace it. */
export function createGgufModels(entry: URL = moduleEntry('./gguf-child', import.meta.url)): GgufModels {
  const models = new Map<string, GgufProcess>()
  function processOf(choice: ModelOf<'gguf'>, task: GgufLoad['task']): GgufProcess {
    const { memoryMib, ...load } = settingsOf(choice, task)
    const key = JSON.stringify([load, memoryMib])
    const known = models.get(key)
    if (known !== undefined) return known
    const { path } = load
    const process: GgufProcess = new ModelProcess({
      entry,
      label: basename(path),
      load,
      memoryMib,
      assertReadable: (role) => assertFile(role, path),
      failure: (role, failure) => failureOf(role, path, failure),
    })
    models.set(key, process)
    return process
  }
  return {
    async chat(role, choice, chat, signal, onText) {
      const reply = await processOf(choice, 'generation').ask(
        role,
        modelNameOf(choice),
        choice,
        { chat },
        signal,
        onText,
      )
      if (!('answered' in reply)) throw unexpected(role)
      return reply.answered
    },
    async embed(role, choice, texts, signal) {
      const reply = await processOf(choice, 'embedding').ask(
        role,
        modelNameOf(choice),
        choice,
        { embed: texts },
        signal,
      )
      if (!('embedded' in reply)) throw unexpected(role)
      return reply.embedded
    },
    async close() {
      for (const process of models.values()) process.close()
      models.clear()
    },
  }
}

/** Describes what a load depends on. */
type LoadSettings = Omit<GgufLoad, 'memoryBytes'> & { memoryMib: number | null }

const settingsOf = (choice: ModelOf<'gguf'>, task: GgufLoad['task']): LoadSettings => ({
  path: resolve(choice.model),
  task,
  contextSize: choice.context_size,
  gpu: choice.gpu,
  threads: choice.threads,
  memoryMib: choice.memory_mib,
})

async function assertFile(role: ModelRole, path: string): Promise<void> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) throw fileError(role, path, 'there is no such file', 'Download a GGUF file and name its path')
}

const fileError = (role: ModelRole, path: string, problem: string, remedy: string): ModelCallError =>
  failed('not_configured', role, `${basename(path)} cannot be loaded: ${problem}. ${remedy} in manifests/models.yaml`)

/** Returns what a request failed with, and what to do. */
function failureOf(role: ModelRole, path: string, { fault, message, numbers }: GgufFailure): ModelCallError {
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
