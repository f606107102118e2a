// This is different from BM25 and dense search, fused (Reciprocal Rank Fusion: Σ 1/(60 + rank)). See docs/methods.md.
import type { Approach } from '../approach.ts'
import { answerFrom } from '../steps/generate.ts'
import { hybridContext } from '../steps/hybrid-search.ts'

/** Hybrid search over the plain chunks, reranked, top chunks into one prompt. */
export const hybrid: Approach<'hybrid-rag'> = async (question, parameters, services, signal) => {
  const passages = await hybridContext(question, parameters, 'plain', services, signal)
  return answerFrom(question, passages, services, signal)
}
