import { ModelRole } from '../../../contract/index.ts'
import type { ModelChoice, ResolvedModels } from '../../../contract/index.ts'
import type { BuiltinModels } from './builtin-backend.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelHost } from './model-host.ts'
import type { OnnxModels } from './onnx-models.ts'

/** The set that this process uses: every role with its model, placeholders already replaced. */
export interface SelectedModels {
  name: string
  roles: Record<ModelRole, ModelChoice>
}

/** The host of one model set. Backends are opened at their first call, so that unused ones cost nothing. */
export function createModelHost(set: SelectedModels, options: BackendOptions): ModelHost {
  const opener = createBackendOpener(options)
  const opened = new Map<ModelRole, Promise<ModelBackend>>()
  const calls = new Map<ModelRole, number>()

  function backend(role: ModelRole): Promise<ModelBackend> {
    // Failed calls count too: what was asked of the models is the figure, not what they managed.
    calls.set(role, (calls.get(role) ?? 0) + 1)
    const known = opened.get(role)
    if (known !== undefined) return known
    const opening = opener.open(role, set.roles[role])
    opened.set(role, opening)
    // What could not be opened may be repaired while the platform runs: the next call tries again.
    opening.catch(() => opened.delete(role))
    return opening
  }

  return {
    async embed(role, texts, side, signal, statistics) {
      const { embed } = await backend(role)
      if (embed === undefined) throw unsupported(role, 'embed texts')
      return embed(texts, side, signal, statistics)
    },
    async chat(role, request, signal) {
      const { chat } = await backend(role)
      if (chat === undefined) throw unsupported(role, 'chat')
      return chat(request, signal)
    },
    async rerank(query, texts, signal, pool) {
      const { rerank } = await backend('rerank')
      if (rerank === undefined) throw unsupported('rerank', 'rerank')
      return rerank(query, texts, signal, pool)
    },
    isCloud(role) {
      const choice = set.roles[role]
      return choice.backend === 'openai' && choice.cloud
    },
    isBuiltin: (role) => set.roles[role].backend === 'builtin',
    modelName: (role) => set.roles[role].model,
    resolved: () => resolvedModels(set),
    usage: () => Object.fromEntries(calls),
    async close() {
      await Promise.allSettled([...opened.values()].map(async (opening) => (await opening).close()))
      opened.clear()
      await opener.close()
    },
  }
}

function resolvedModels(set: SelectedModels): ResolvedModels {
  const entries = ModelRole.options.map((role) => [role, pick(set.roles[role])] as const)
  return { set: set.name, roles: Object.fromEntries(entries) }
}

function pick({ backend, model }: ModelChoice): { backend: string; model: string } {
  return { backend, model }
}

function unsupported(role: ModelRole, what: string): ModelCallError {
  return new ModelCallError('not_configured', role, `The model declared for role ${role} cannot ${what}`)
}

interface BackendOptions {
  /** The value of a named secret, such as an environment variable; undefined when it is not set. */
  secret: (name: string) => string | undefined
  /** Where weights from the hub are kept. */
  onnxCacheDir: string
  /** Loads the rule-based models. */
  loadBuiltin: () => Promise<BuiltinModels>
}

interface BackendOpener {
  open(role: ModelRole, choice: ModelChoice): Promise<ModelBackend>
  close(): Promise<void>
}

/** Opens backends by declaration. Each kind's code is imported at its first use only: a set without weights loads no runtime. */
function createBackendOpener(options: BackendOptions): BackendOpener {
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
