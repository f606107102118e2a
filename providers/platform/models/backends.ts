import {
  isRemoteModel,
  type Backend,
  type ModelChoice,
  type ModelOf,
} from '../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import { paceExchange } from '../../../core/http/pace-exchange.ts'
import { Pace } from '../../../core/http/pace.ts'
import type { BuiltinModels } from './builtin-backend.ts'
import type { GgufModels } from './gguf/gguf-models.ts'
import { limitedBackend, limitOf, type Limit } from './limited-calls.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { OnnxModels } from './onnx/onnx-models.ts'

export interface BackendOptions {
  /** The value of a named secret, such as an environment variable; undefined when it is not set. */
  secret: (name: string) => string | undefined
  /** States where weights from the hub are kept. */
  onnxCacheDir: string
  /** Loads the rule-based models. */
  loadBuiltin: () => Promise<BuiltinModels>
  /** States what was learned of models at services; forgotten with the host unless given. */
  known?: KnownModels
  /** Folder in which the processes of a project share the pace of services; each has its own without one. */
  pacesDir?: string
}

/** Describes what a backend is opened with. */
interface OpeningTools {
  role: ModelRole
  /** Null where the model names none. */
  apiKey: string | null
  known: KnownModels
  /** The pace of the service, which all roles and models there share. */
  pace: Pace
  loadBuiltin: () => Promise<BuiltinModels>
  /** Networks that all models of this host share. */
  loadOnnx: () => Promise<OnnxModels>
  /** Processes that all roles of this host share. */
  loadGguf: () => Promise<GgufModels>
}

type Open<Each extends Backend> = (choice: ModelOf<Each>, tools: OpeningTools) => Promise<ModelBackend>

/** Defines how a model of each backend is opened. Its code is imported at the first use only: a set without weights loads no runtime. */
const OPEN: { readonly [Each in Backend]: Open<Each> } = {
  builtin: async (choice, { loadBuiltin }) =>
    (await import('./builtin-backend.ts')).createBuiltinBackend(choice, await loadBuiltin()),
  onnx: async (choice, { role, loadOnnx }) =>
    (await import('./onnx/onnx-backend.ts')).createOnnxBackend(role, choice, await loadOnnx()),
  gguf: async (choice, { role, loadGguf }) =>
    (await import('./gguf/gguf-backend.ts')).createGgufBackend(role, choice, await loadGguf()),
  openai: async (choice, { role, apiKey, known, pace }) =>
    (await import('./openai/openai-backend.ts')).createOpenAiBackend(role, choice, apiKey, {
      known,
      pace,
      asksWindow: true,
    }),
  tei: async (choice, { role, apiKey, known, pace }) =>
    (await import('./tei-backend.ts')).createTeiBackend(role, choice, apiKey, { known, pace }),
}

interface BackendOpener {
  open(role: ModelRole, choice: ModelChoice): Promise<ModelBackend>
  close(): Promise<void>
}

/** The limits of a set by address, which all models there share; none where none is declared. */
function limitsOf(choices: readonly ModelChoice[]): ReadonlyMap<string, Limit> {
  const most = new Map<string, number>()
  for (const choice of choices)
    if (choice.backend === 'openai' && choice.concurrency !== undefined)
      most.set(choice.base_url, Math.min(choice.concurrency, most.get(choice.base_url) ?? Infinity))
  return new Map([...most].map(([address, count]) => [address, limitOf(count)]))
}

/** Opens the models of a set, whose choices are all those that may be opened. */
export function createBackendOpener(options: BackendOptions, choices: readonly ModelChoice[]): BackendOpener {
  const limits = limitsOf(choices)
  const known = options.known ?? new KnownModels()
  const paces = new Map<string, Pace>()
  const paceOf = (choice: ModelChoice): Pace => {
    const origin = isRemoteModel(choice) && URL.canParse(choice.base_url) ? new URL(choice.base_url).origin : ''
    const { pacesDir } = options
    const shared = pacesDir === undefined || origin === '' ? {} : { exchange: paceExchange(pacesDir, origin) }
    const pace = paces.get(origin) ?? new Pace(shared)
    paces.set(origin, pace)
    return pace
  }
  let onnxModels: Promise<OnnxModels> | undefined
  const loadOnnx = (): Promise<OnnxModels> => {
    onnxModels ??= import('./onnx/onnx-models.ts').then((module) => module.createOnnxModels(options.onnxCacheDir))
    onnxModels.catch(() => (onnxModels = undefined))
    return onnxModels
  }
  let ggufModels: Promise<GgufModels> | undefined
  const loadGguf = (): Promise<GgufModels> =>
    (ggufModels ??= import('./gguf/gguf-models.ts').then((module) => module.createGgufModels()))
  return {
    async open(role, choice) {
      const open = OPEN[choice.backend] as (model: ModelChoice, tools: OpeningTools) => Promise<ModelBackend>
      const apiKey = apiKeyOf(role, choice, options)
      const backend = await open(choice, {
        role,
        apiKey,
        known,
        pace: paceOf(choice),
        loadBuiltin: options.loadBuiltin,
        loadOnnx,
        loadGguf,
      })
      const limit = choice.backend === 'openai' ? limits.get(choice.base_url) : undefined
      return limit === undefined ? backend : limitedBackend(backend, limit)
    },
    async close() {
      await (await ggufModels)?.close()
      await (await onnxModels)?.close()
    },
  }
}

function apiKeyOf(role: ModelRole, choice: ModelChoice, options: BackendOptions): string | null {
  const name = isRemoteModel(choice) ? choice.api_key_env : null
  if (name === null) return null
  const key = options.secret(name)
  if (key === undefined || key === '') {
    throw new ModelCallError('not_configured', role, `The model of role ${role} needs the environment variable ${name}`)
  }
  return key
}
