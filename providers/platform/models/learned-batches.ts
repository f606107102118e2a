import type { KnownModel } from '../../../core/model-records/known-models.ts'
import { ModelCallError } from './model-host.ts'

/** Returns true when a service refused the number of texts, or all of them together. */
const isTooMany = (error: unknown): boolean =>
  error instanceof ModelCallError &&
  (error.status === 413 ||
    ((error.status === 400 || error.status === 422) &&
      /batch|too (?:many|large)|larger than|at most|maximum/i.test(error.said?.text ?? '')))

/** Matches a refusal of a number of texts. One of their size, in bytes or tokens, says nothing of other texts. */
const IS_ABOUT_NUMBER = /batch|too many (?:inputs|texts|items)|at most \d+ (?:inputs|texts|items)/i

/**
 * Asks for all texts in batches of at most `most`, or of what the service is known to take. A batch that is refused as too large is halved, and batches grow again
 * after it. Half of it is kept as the limit where the service refused the number of texts and then takes the half.
 */
export async function inLearnedBatches(
  known: KnownModel,
  texts: readonly string[],
  most: number,
  ask: (batch: readonly string[]) => Promise<void>,
): Promise<void> {
  let size = most
  let isNumber = false
  for (let start = 0; start < texts.length;) {
    const batch = texts.slice(start, start + Math.min(size, known.record.embedding_batch ?? most))
    try {
      await ask(batch)
    } catch (error) {
      if (batch.length === 1 || !isTooMany(error)) throw error
      size = Math.ceil(batch.length / 2)
      isNumber = error instanceof ModelCallError && IS_ABOUT_NUMBER.test(error.said?.text ?? '')
      continue
    }
    if (isNumber) known.learn({ embedding_batch: size })
    isNumber = false
    size *= 2
    start += batch.length
  }
}
