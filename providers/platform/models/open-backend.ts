import type { ModelChoice, ModelRole } from '../../../contract/index.ts'
import type { BuiltinModels } from './builtin-backend.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { OnnxModels } from './onnx-models.ts'

export interface BackendOptions {
  /** The value of a named secret, such as an environment variable; undefined when it is not set. */
  secret: (name: string) => string | undefined
  /** Where weights from the hub are kept. */
  onnxCacheDir: string
  /** Loads the rule-based models. */
  loadBuiltin: () => Promise<BuiltinModels>
}

export interface BackendOpener {
  open(role: ModelRole, choice: ModelChoice): Promise<ModelBackend>
  close(): Promise<void>
}

/** Opens backends by declaration. Each kind's code is imported at its first use only: a set without weights loads no runtime. */
export function createBackendOpener(options: BackendOptions): BackendOpener {
  let onnxModels: Promise<OnnxModels> | undefined
  return {
    async open(role, choice) {
      switch (choice.backend) {
        case 'builtin': {
          const { createBuiltinBackend } = await import('./builtin-backend.ts')
          return createBuiltinBackend(choice, await options.loadBuiltin())
        }
        case 'onnx': {
          onnxModels ??= import('./onnx-models.ts').then((module) => module.createOnnxModels(options.onnxCacheDir))
          onnxModels.catch(() => (onnxModels = undefined))
          const { createOnnxBackend } = await import('./onnx-backend.ts')
          return createOnnxBackend(role, choice, await onnxModels)
        }
        case 'openai': {
          const { createOpenAiBackend } = await import('./openai-backend.ts')
          return createOpenAiBackend(role, choice, apiKey(role, choice.api_key_env, options))
        }
        case 'tei': {
          const { createTeiBackend } = await import('./tei-backend.ts')
          return createTeiBackend(choice, apiKey(role, choice.api_key_env, options))
        }
      }
    },
    async close() {
      await (await onnxModels)?.close()
    },
  }
}

function apiKey(role: ModelRole, name: string | null, options: BackendOptions): string | null {
  if (name === null) return null
  const key = options.secret(name)
  if (key === undefined || key === '') {
    throw new ModelCallError('not_configured', role, `The model of role ${role} needs the environment variable ${name}`)
  }
  return key
}
