import {
  embeddingSpaceOf,
  isCloudModel,
  isRuleBased,
  modelNameOf,
  ModelRole,
  type ModelChoice,
  type ResolvedModels,
  type SelectedModels,
} from '../../../contract/index.ts'
import { createBackendOpener, type BackendOptions } from './backends.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelHost } from './model-host.ts'

/** The host of one model set. Backends are opened at their first call, so that unused ones cost nothing. */
export function createModelHost(set: SelectedModels, options: BackendOptions): ModelHost {
  const opener = createBackendOpener(options, Object.values(set.roles))
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
    async chat(role, request, signal, onText) {
      const { chat } = await backend(role)
      if (chat === undefined) throw unsupported(role, 'chat')
      return chat(request, signal, onText)
    },
    async rerank(query, texts, signal, pool) {
      const { rerank } = await backend('rerank')
      if (rerank === undefined) throw unsupported('rerank', 'rerank')
      return rerank(query, texts, signal, pool)
    },
    isCloud: (role) => isCloudModel(set.roles[role]),
    isBuiltin: (role) => isRuleBased(set.roles[role].backend),
    modelName: (role) => modelNameOf(set.roles[role]),
    embeddingSpace: () => embeddingSpaceOf(set.roles.embed),
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

function pick(choice: ModelChoice): { backend: string; model: string } {
  return { backend: choice.backend, model: modelNameOf(choice) }
}

function unsupported(role: ModelRole, what: string): ModelCallError {
  return new ModelCallError('not_configured', role, `The model declared for role ${role} cannot ${what}`)
}
