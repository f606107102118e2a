import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { answerFrom } from '../steps/generate.ts'

/** Dense search, top chunks into one prompt: one embedding, one generation. */
export const vanilla: Approach<'vanilla-rag'> = async (question, { k }, services, signal) => {
  const collection = await requireCollection('plain', services)
  const vector = await embedQuestion(question, collection, services, signal)
  const hits = await services.store.dense(collection.name, vector, k)
  return answerFrom(question, hits, services, signal)
}
