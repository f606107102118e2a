import { existsSync } from 'node:fs'
import { modelNameOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { ModelCallError } from '../model-host.ts'
import { ModelProcess } from '../model-process.ts'
import type { OnnxFailure, OnnxReply, OnnxSettings, OnnxWork } from './onnx-protocol.ts'

/** A network that generates text may take minutes; one with billions of weights is read from the disk again after a pause without a request. */
const LIMITS = { timeout_s: 600, keep_alive_s: 300 }

type OnnxProcess = ModelProcess<OnnxWork, OnnxReply, OnnxFailure>

/** Networks that are loaded, one process each, however many roles use them. */
export interface OnnxModels {
  /** One piece of work; those of one network wait for each other. Throws `ModelCallError`, and the signal's reason when it is aborted. */
  ask(role: ModelRole, choice: ModelOf<'onnx'>, work: OnnxWork, signal?: AbortSignal): Promise<OnnxReply>
  close(): Promise<void>
}

/** Weights come from a local folder, else by hub id through `cacheDir`. `entry` is the module of the process; tests replace it. */
export function createOnnxModels(
  cacheDir: string,
  entry: URL = moduleEntry('./onnx-child', import.meta.url),
): OnnxModels {
  const models = new Map<string, OnnxProcess>()
  function processOf(choice: ModelOf<'onnx'>): OnnxProcess {
    const { model, task, dtype, pooling, max_tokens } = choice
    const settings: OnnxSettings = { model, task, dtype, pooling, max_tokens }
    const key = JSON.stringify(settings)
    const known = models.get(key)
    if (known !== undefined) return known
    const process: OnnxProcess = new ModelProcess({
      entry,
      label: modelNameOf(choice),
      load: { settings, cacheDir },
      memoryMib: null,
      failure: (role, { fault, message }) => {
        if (fault === 'not_loaded')
          return new ModelCallError('not_configured', role, loadProblem(role, choice, cacheDir, message))
        return new ModelCallError('upstream_error', role, `The local model of role ${role} failed: ${message}`)
      },
    })
    models.set(key, process)
    return process
  }
  return {
    ask: (role, choice, work, signal) => processOf(choice).ask(role, modelNameOf(choice), LIMITS, work, signal),
    async close() {
      for (const process of models.values()) process.close()
      models.clear()
    },
  }
}

function loadProblem(role: ModelRole, choice: ModelOf<'onnx'>, cacheDir: string, reason: string): string {
  const isPath = /^[./]|^[A-Za-z]:[\\/]/.test(choice.model)
  const advice = existsSync(choice.model)
    ? `The folder must hold config.json, tokenizer.json and the ${choice.dtype} weights below onnx/`
    : isPath
      ? 'There is no such folder. Download the model on the page Models, or name a folder that has it (RAG_LADDER_EMBEDDING_DIR)'
      : `There is no such folder, and it could not be fetched from the hub or found in ${cacheDir}. ` +
        'Without a network, name a mirror by HF_ENDPOINT, put the model files into a folder and name that folder in models.yaml, or choose the builtin set'
  return `The model "${choice.model}" of role ${role} cannot be loaded: ${reason}. ${advice}.`
}
