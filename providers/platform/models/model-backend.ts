import type { ChatCompletion } from '../../../contract/http/chat.ts'
import type { EmbeddingSide, OnText, OnTokens, RerankPool, RoleChatRequest, TermStatistics } from './model-host.ts'

/**
 * Describes what one declared model can do for one role. A backend has the methods of its kind of model only; each throws `ModelCallError`.
 * Embeddings are unit vectors of one dimension, and `onTokens` receives what they took, estimated where the service reports none; rerank scores are logits in the order of the texts.
 */
export interface ModelBackend {
  embed?: (
    texts: readonly string[],
    side: EmbeddingSide,
    signal?: AbortSignal,
    statistics?: TermStatistics,
    onTokens?: OnTokens,
  ) => Promise<Float32Array[]>
  /** Calls `onText` with the pieces of the answer where the model gives them as it generates; the result is the whole answer all the same. */
  chat?: (request: RoleChatRequest, signal?: AbortSignal, onText?: OnText) => Promise<ChatCompletion>
  rerank?: (query: string, texts: readonly string[], signal?: AbortSignal, pool?: RerankPool) => Promise<number[]>
  close(): Promise<void>
}
