import { ModelRole } from '../../contract/manifests/models.ts'
import type { ModelChoice } from '../../contract/manifests/model-backends.ts'
import type { BuiltinModels } from '../../providers/platform/models/builtin-backend.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'
import type { ModelHost } from '../../providers/platform/models/model-host.ts'

/** Model functions small enough to compute by hand: a vector of length and 1, a score of 2 for texts that hold the query, else -2. */
export const tinyModels: BuiltinModels = {
  embedText: (text) => Float32Array.of(text.length, 1),
  scoreRelevance: (query, text) => (text.includes(query) ? 2 : -2),
  createRanking: (query) => {
    const logits: number[] = []
    return { add: (text) => void logits.push(text.includes(query) ? 2 : -2), logits: () => logits }
  },
  answerBuiltinChat: (messages) => ({ text: `heard ${messages.length}` }),
  countTokens: (text) => text.split(' ').length,
}

/** A real model host over the tiny functions, every role named `tiny-<role>`. */
export function tinyModelHost(changes: Partial<BuiltinModels> = {}): ModelHost {
  const roles = Object.fromEntries(
    ModelRole.options.map((role) => [role, { backend: 'builtin', model: `tiny-${role}` }]),
  ) as Record<ModelRole, ModelChoice>
  return createModelHost(
    { name: 'tiny', roles },
    { secret: () => undefined, onnxCacheDir: '', loadBuiltin: async () => ({ ...tinyModels, ...changes }) },
  )
}
