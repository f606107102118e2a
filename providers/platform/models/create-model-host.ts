import { joinedUsage, usageOfCall, usageOfTexts, type ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { ResolvedModels } from '../../../contract/evidence/provenance.ts'
import {
  embeddingSpaceOf,
  isCloudModel,
  isRuleBased,
  modelNameOf,
  writerOf,
  type ModelChoice,
} from '../../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import { createBackendOpener, type BackendOptions } from './backends.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelHost } from './model-host.ts'

type Tokens = Parameters<typeof usageOfCall>[2] & object

/** The host of one model set. Backends are opened at their first call, so that unused ones cost nothing. */
export function createModelHost(set: SelectedModels, options: BackendOptions): ModelHost {
  const opener = createBackendOpener(options, Object.values(set.roles))
  const opened = new Map<ModelRole, Promise<ModelBackend>>()
  const calls = new Map<ModelRole, number>()
  const used = new Map<ModelRole, ModelUsage>()

  /** Tokens of an answered call, null where it does not report them; a failed one counts as such. */
  function addUsage(role: ModelRole, tokens: Tokens | null): void {
    const choice = set.roles[role]
    if (isRuleBased(choice.backend)) return
    const before = used.get(role)
    const call = usageOfCall(modelNameOf(choice), isCloudModel(choice), tokens)
    used.set(role, before === undefined ? call : joinedUsage([before, call])[0]!)
  }

  async function counted<Result>(role: ModelRole, call: () => Promise<[Result, Tokens | null]>): Promise<Result> {
    let tokens: Tokens | null = null
    try {
      const [result, counts] = await call()
      tokens = counts
      return result
    } finally {
      addUsage(role, tokens)
    }
  }

  function backend(role: ModelRole): Promise<ModelBackend> {
    // Failed calls count too: what was asked of the models is the figure, not what they managed.
    calls.set(role, (calls.get(role) ?? 0) + 1)
    const known = opened.get(role)
    if (known !== undefined) return known
    const opening = opener.open(role, set.roles[role])
    opened.set(role, opening)
    // A model that could not be opened may be repaired while the platform runs: the next call tries again.
    opening.catch(() => opened.delete(role))
    return opening
  }

  return {
    async embed(role, texts, side, signal, statistics, onTokens) {
      const { embed } = await backend(role)
      if (embed === undefined) throw unsupported(role, 'embed texts')
      return counted(role, async () => {
        let tokens: Tokens | null = null
        const vectors = await embed(texts, side, signal, statistics, (total, how) => {
          tokens = usageOfTexts(total, how)
          onTokens?.(total, how)
        })
        return [vectors, tokens]
      })
    },
    async chat(role, request, signal, onText) {
      const { chat } = await backend(role)
      if (chat === undefined) throw unsupported(role, 'chat')
      return counted(role, async () => {
        const completion = await chat(request, signal, onText)
        return [completion, completion.usage ?? null]
      })
    },
    async rerank(query, texts, signal, pool) {
      const { rerank } = await backend('rerank')
      if (rerank === undefined) throw unsupported('rerank', 'rerank')
      return counted('rerank', async () => [await rerank(query, texts, signal, pool), null])
    },
    isCloud: (role) => isCloudModel(set.roles[role]),
    isBuiltin: (role) => isRuleBased(set.roles[role].backend),
    modelName: (role) => modelNameOf(set.roles[role]),
    writer: (role) => writerOf(set.roles[role]),
    embeddingSpace: () => embeddingSpaceOf(set.roles.embed),
    resolved: () => resolvedModels(set),
    usage: () => Object.fromEntries(calls),
    modelUsage: () => joinedUsage(used.values()),
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
