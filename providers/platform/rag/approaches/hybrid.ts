import type { Approach } from '../approach.ts'
import { answerFrom } from '../steps/generate.ts'
import { hybridSearch } from '../steps/hybrid-search.ts'

/** Hybrid search over the plain chunks, reranked, top chunks into one prompt. */
export const hybrid: Approach<'hybrid-rag'> = async (question, parameters, services, signal) => {
  const search = { collection: 'plain', rerankText: (chunk: { content: string }) => chunk.content } as const
  const passages = await hybridSearch(question, parameters, search, services, signal)
  return answerFrom(question, passages, services, signal)
}
