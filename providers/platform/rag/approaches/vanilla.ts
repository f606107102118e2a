import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { answerFrom } from '../steps/generate.ts'

/** Dense search, top chunks into one prompt: one embedding, one generation. */
export const vanilla: Approach<'vanilla-rag'> = async (question, { k }, services, signal) => {
  const { name } = await requireCollection('plain', services)
  const vector = await embedQuestion(question, services, signal)
  const hits = await services.store.dense(name, vector, k)
  return answerFrom(question, hits, services, signal)
}
