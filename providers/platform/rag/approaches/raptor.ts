// This is similar to RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), collapsed tree. See docs/methods.md.
import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { fillBudget, packPassages } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'
import { SUMMARIES } from '../tree/build-tree.ts'

/** Dense search over chunks and summaries of clusters of them at once; tree/build-tree.ts makes the collection after an ingestion. */
export const raptor: Approach<'raptor-rag'> = async (question, { k, max_tokens: most }, services, signal) => {
  const collection = await requireCollection('tree', services)
  const vector = await embedQuestion(question, collection, services, signal)
  const search = (limit: number) => services.store.dense(collection.name, vector, limit)
  const { contextBudget } = services
  const hits = await (contextBudget === null
    ? search(k).then((found) => packPassages(found, most))
    : fillBudget(contextBudget, k, search))
  const answer = await answerFrom(question, hits, services, signal)
  const summaries = hits.filter(({ chunk }) => chunk.document.startsWith(SUMMARIES)).length
  return { ...answer, metadata: { ...answer.metadata, experimental: true, summaries_handed_over: summaries } }
}
