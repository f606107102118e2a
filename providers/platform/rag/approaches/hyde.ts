// This is similar to HyDE, hypothetical document embeddings (Gao et al. 2022, arXiv 2212.10496). See docs/methods.md.
import { HYPOTHETICAL_PROMPT, renderHypotheticalTask } from '../../models/prompts/hypothetical-task.ts'
import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedPassage, embedQuestion, meanVector } from '../steps/embed.ts'
import { fillBudget } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'
import { writeForSearch } from '../steps/write-for-search.ts'

/** Longest hypothetical passage. */
const MOST_TOKENS = 200

/** Dense search by a passage that the model makes up, and by the question where that is set; the answer rests on the chunks that are near it. */
export const hyde: Approach<'hyde-rag'> = async (question, { k, with_question: withQuestion }, services, signal) => {
  const collection = await requireCollection('plain', services)
  const messages = renderHypotheticalTask(question)
  const passage = await writeForSearch(HYPOTHETICAL_PROMPT, messages, MOST_TOKENS, services, signal)
  const made = await embedPassage(passage, collection, services, signal)
  const vector = withQuestion ? meanVector([made, await embedQuestion(question, collection, services, signal)]) : made
  const search = (limit: number) => services.store.dense(collection.name, vector, limit)
  const { contextBudget } = services
  const hits = await (contextBudget === null ? search(k) : fillBudget(contextBudget, k, search))
  const answer = await answerFrom(question, hits, services, signal)
  return { ...answer, metadata: { ...answer.metadata, experimental: true, searched_with: [passage] } }
}
