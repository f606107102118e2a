// This is faithful to dense retrieval with one generation (“naive RAG”). See docs/methods.md.
import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { fillBudget } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'

/** Dense search, top chunks into one prompt: one embedding, one generation. */
export const vanilla: Approach<'vanilla-rag'> = async (question, { k }, services, signal) => {
  const collection = await requireCollection('plain', services)
  const vector = await embedQuestion(question, collection, services, signal)
  const search = (limit: number) => services.store.dense(collection.name, vector, limit)
  const { contextBudget } = services
  const hits = await (contextBudget === null ? search(k) : fillBudget(contextBudget, k, search))
  return answerFrom(question, hits, services, signal)
}
