// This is similar to long-context question answering in place of retrieval (arXiv 2407.16833). See docs/methods.md.
import type { Approach } from '../approach.ts'
import { requireCollection } from '../steps/collection.ts'
import { packPassages } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'
import { wholeDocuments } from '../steps/whole-documents.ts'

/** More than this is sent to no model: the largest budget that a run can have. */
const MOST_TOKENS = 200_000

/** Every document that the model takes, without a search. The budget of the run does not hold here: the text handed over is in its rows, and shown. */
export const fullContext: Approach<'full-context'> = async (question, _parameters, services, signal) => {
  const { name } = await requireCollection('plain', services)
  const documents = wholeDocuments(await services.store.chunks(name))
  return answerFrom(question, packPassages(documents, MOST_TOKENS), services, signal)
}
