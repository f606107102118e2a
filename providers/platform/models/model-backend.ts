import type { ChatCompletion, ModelChoice, ModelRole } from '../../../contract/index.ts'
import type { EmbeddingSide, RerankPool, RoleChatRequest, TermStatistics } from './model-host.ts'

/**
 * What one declared model can do for one role. A backend has the methods of its kind of model only; each throws `ModelCallError`.
 * Embeddings are unit vectors of one dimension; rerank scores are logits in the order of the texts.
 */
export interface ModelBackend {
  embed?: (
    texts: readonly string[],
    side: EmbeddingSide,
    signal?: AbortSignal,
    statistics?: TermStatistics,
  ) => Promise<Float32Array[]>
  chat?: (request: RoleChatRequest, signal?: AbortSignal) => Promise<ChatCompletion>
  rerank?: (query: string, texts: readonly string[], signal?: AbortSignal, pool?: RerankPool) => Promise<number[]>
  close(): Promise<void>
}

/** What kind of work a role is. */
export type ModelTask = 'embedding' | 'rerank' | 'generation'

/** The kind of work that a role's callers ask for. */
export function roleTask(role: ModelRole): ModelTask {
  if (role === 'embed' || role === 'evaluator_embed') return 'embedding'
  return role === 'rerank' ? 'rerank' : 'generation'
}

/** Why a declared model cannot serve a role; null when it can. */
export function unsuitable(role: ModelRole, choice: ModelChoice): string | null {
  const task = roleTask(role)
  switch (choice.backend) {
    case 'builtin':
      return null
    case 'onnx':
      return choice.task === task ? null : `the role needs the task ${task}, not ${choice.task}`
    case 'openai':
      return task === 'rerank' ? 'the openai backend cannot rerank; use builtin, onnx or tei' : null
    case 'tei':
      return task === 'rerank' ? null : 'the tei backend can only rerank'
  }
}
