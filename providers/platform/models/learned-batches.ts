import type { KnownModel } from '../../../core/model-records/known-models.ts'
import { countTokens } from '../../../contract/evidence/count-tokens.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'
import { ModelCallError, type OnTokens } from './model-host.ts'
import { unitVectors } from './unit-vectors.ts'

/** Returns true when a service refused the number of texts, or all of them together. */
const isTooMany = (error: unknown): boolean =>
  error instanceof ModelCallError &&
  (error.status === 413 ||
    ((error.status === 400 || error.status === 422) &&
      /batch|too (?:many|large)|larger than|at most|maximum/i.test(error.said?.text ?? '')))

/** Matches a refusal of a number of texts. One of their size, in bytes or tokens, says nothing of other texts. */
const IS_ABOUT_NUMBER = /batch|too many (?:inputs|texts|items)|at most \d+ (?:inputs|texts|items)/i

/** Returns true for an answer that cannot be read; one with fewer texts may be. */
const isMalformed = (error: unknown): boolean => error instanceof ModelCallError && error.code === 'invalid_response'

/**
 * Asks for all texts in batches of at most `most`, or of what the service is known to take. A batch that is refused as too large is halved, and batches grow again
 * after it. Half of it is kept as the limit where the service refused the number of texts and then takes the half. With `singlesOut` a batch whose answer cannot be
 * read is halved too, until the text is alone for which there is none.
 */
export async function inLearnedBatches(
  known: KnownModel,
  texts: readonly string[],
  most: number,
  ask: (batch: readonly string[]) => Promise<void>,
  { singlesOut = false }: { singlesOut?: boolean } = {},
): Promise<void> {
  let size = most
  let isNumber = false
  let grows = true
  for (let start = 0; start < texts.length;) {
    const batch = texts.slice(start, start + Math.min(size, known.record.embedding_batch ?? most))
    try {
      await ask(batch)
    } catch (error) {
      const isMixedUp = singlesOut && isMalformed(error)
      if (batch.length === 1 || !(isMixedUp || isTooMany(error))) throw error
      grows &&= !isMixedUp
      size = Math.ceil(batch.length / 2)
      isNumber = error instanceof ModelCallError && IS_ABOUT_NUMBER.test(error.said?.text ?? '')
      continue
    }
    if (isNumber) known.learn({ embedding_batch: size })
    isNumber = false
    if (grows) size *= 2
    start += batch.length
  }
}

/** Embeds all texts in such batches, as unit vectors of one dimension. `ask` returns null for tokens that the service does not report: they are counted here. */
export async function embedInBatches(
  role: ModelRole,
  known: KnownModel,
  texts: readonly string[],
  most: number,
  ask: (batch: readonly string[]) => Promise<{ embedded: number[][]; tokens: number | null }>,
  onTokens?: OnTokens,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  let total = 0
  let isEstimated = false
  await inLearnedBatches(
    known,
    texts,
    most,
    async (batch) => {
      const { embedded, tokens } = await ask(batch)
      vectors.push(...unitVectors(role, embedded, batch.length, vectors[0]?.length))
      total += tokens ?? batch.reduce((sum, text) => sum + countTokens(text), 0)
      isEstimated ||= tokens === null
      known.learn({ dimensions: vectors[0]!.length })
    },
    { singlesOut: true },
  )
  onTokens?.(total, { isEstimated })
  return vectors
}
