import type { KnownModel } from '../../../core/model-records/known-models.ts'
import { ModelCallError } from './model-host.ts'

/** Returns true when a service refused the number of texts, or all of them together. */
const isTooMany = (error: unknown): boolean =>
  error instanceof ModelCallError &&
  (error.status === 413 ||
    ((error.status === 400 || error.status === 422) &&
      /batch|too (?:many|large)|larger than|at most|maximum/i.test(error.said?.text ?? '')))

/** Asks for all texts in batches of at most `most`, or of what the service is known to take: one that is refused as too large is halved, and that is kept. */
export async function inLearnedBatches(
  known: KnownModel,
  texts: readonly string[],
  most: number,
  ask: (batch: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < texts.length;) {
    const batch = texts.slice(start, start + Math.min(most, known.record.embedding_batch ?? most))
    try {
      await ask(batch)
    } catch (error) {
      if (batch.length === 1 || !isTooMany(error)) throw error
      known.learn({ embedding_batch: Math.ceil(batch.length / 2) })
      continue
    }
    start += batch.length
  }
}
