// This is similar to RAG-Fusion: several queries by a model, fused by reciprocal rank (arXiv 2402.03367; Cormack et al. 2009). See docs/methods.md.
import { parseRephrasings, REPHRASE_PROMPT, renderRephraseTask } from '../../models/prompts/rephrase-task.ts'
import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { fillBudget } from '../steps/fill-budget.ts'
import { fuseRanks } from '../steps/fuse-ranks.ts'
import { answerFrom } from '../steps/generate.ts'
import { writeForSearch } from '../steps/write-for-search.ts'

/** Longest reply, for each query that is asked for. */
const TOKENS_A_QUERY = 60
/** A chunk that one query ranks lower is not what it looks for. */
const LEAST_DEPTH = 20

/** Dense searches by the question and by rephrasings of it that the model writes, fused by rank. */
export const multiQuery: Approach<'multi-query-rag'> = async (question, { k, rephrasings }, services, signal) => {
  const collection = await requireCollection('plain', services)
  const messages = renderRephraseTask(question, rephrasings)
  const reply = await writeForSearch(REPHRASE_PROMPT, messages, rephrasings * TOKENS_A_QUERY, services, signal)
  const further = parseRephrasings(reply, question, rephrasings)
  const vectors = await Promise.all(
    [question, ...further].map((query) => embedQuestion(query, collection, services, signal)),
  )
  const search = async (limit: number) => {
    const depth = Math.max(LEAST_DEPTH, limit)
    const lists = await Promise.all(vectors.map((vector) => services.store.dense(collection.name, vector, depth)))
    return fuseRanks(lists).slice(0, limit)
  }
  const { contextBudget } = services
  const hits = await (contextBudget === null ? search(k) : fillBudget(contextBudget, k, search))
  const answer = await answerFrom(question, hits, services, signal)
  const metadata = { experimental: true, searched_with: further, unused_rephrasings: rephrasings - further.length }
  return { ...answer, metadata: { ...answer.metadata, ...metadata } }
}
