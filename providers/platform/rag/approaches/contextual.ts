// This is similar to Contextual Retrieval (Anthropic, 2024-09-19). See docs/methods.md.
import type { Approach } from '../approach.ts'
import { answerFrom } from '../steps/generate.ts'
import { hybridContext } from '../steps/hybrid-search.ts'

/**
 * Hybrid search over chunks that were indexed with a blurb of their document before them. The blurb helps to find and to rank, so the
 * reranker reads it too. It stays out of prompt and evidence: a model wrote it, and an answer must rest on the document.
 */
export const contextual: Approach<'contextual-rag'> = async (question, parameters, services, signal) => {
  const passages = await hybridContext(question, parameters, 'contextual', services, signal)
  return answerFrom(question, passages, services, signal)
}
