import { createHash } from 'node:crypto'
import type { VectorStore } from './vector-store.ts'
import { VectorStoreUnavailableError } from './vector-store.ts'

/** Key of a text among the texts of one collection. */
export const textKey = (text: string): bigint => createHash('sha256').update(text, 'utf8').digest().readBigInt64BE()

type Embed = (texts: string[], signal: AbortSignal) => Promise<Float32Array[]>

export interface EmbedMissing {
  embed: Embed
  /** Texts whose vector the collection had. */
  readonly reused: number
}

/**
 * Embeds only texts that a collection has no vector of by this model, so that a changed document costs no more than its own new chunks. A
 * store that cannot be read gives none: writing the collection reports it.
 */
export async function embedMissing(
  store: VectorStore,
  collection: string,
  embeddingModel: string,
  embed: Embed,
): Promise<EmbedMissing> {
  const stored = await store.vectors(collection)
  if (stored?.embeddingModel !== embeddingModel) return { embed, reused: 0 }
  let reused = 0
  return {
    async embed(texts, signal) {
      const vectors = await stored.get(texts).catch((error: unknown) => {
        if (error instanceof VectorStoreUnavailableError) return texts.map(() => null)
        throw error
      })
      const missing = texts.flatMap((_, at) => (vectors[at] === null ? [at] : []))
      reused += texts.length - missing.length
      if (missing.length === 0) return vectors as Float32Array[]
      const made = await embed(
        missing.map((at) => texts[at]!),
        signal,
      )
      // The caller reports a wrong number.
      if (made.length !== missing.length) return made
      for (const [index, at] of missing.entries()) vectors[at] = made[index]!
      return vectors as Float32Array[]
    },
    get reused() {
      return reused
    },
  }
}
