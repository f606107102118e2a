import type { ModelHost } from '../../models/model-host.ts'
import { GraphEngineError } from '../errors.ts'
import type { VectorCache } from '../storage/vector-cache.ts'

/**
 * Vectors of all texts, in their order; only those that the cache lacks are asked for, `batch` at a time, and kept as they come. Throws
 * `ModelCallError`, or `GraphEngineError` `embedding_invalid` when vectors differ in dimension or number.
 */
export async function embedTexts(
  lists: readonly string[][],
  cache: VectorCache,
  models: ModelHost,
  batch: number,
  signal?: AbortSignal,
): Promise<Float32Array[][]> {
  const known = new Map<string, Float32Array>()
  const missing: string[] = []
  for (const text of new Set(lists.flat())) {
    const vector = cache.get(text)
    if (vector === null) missing.push(text)
    else known.set(text, vector)
  }
  for (let start = 0; start < missing.length; start += batch) {
    const texts = missing.slice(start, start + batch)
    const vectors = await models.embed('embed', texts, 'document', signal)
    if (vectors.length !== texts.length) {
      throw new GraphEngineError('embedding_invalid', `${vectors.length} vectors came for ${texts.length} texts`)
    }
    const entries = texts.map((text, index) => ({ text, vector: vectors[index]! }))
    cache.put(entries)
    for (const { text, vector } of entries) known.set(text, vector)
  }
  const dimensions = new Set([...known.values()].map(({ length }) => length))
  if (dimensions.size > 1) {
    throw new GraphEngineError('embedding_invalid', `vectors have different dimensions: ${[...dimensions].join(', ')}`)
  }
  return lists.map((texts) => texts.map((text) => known.get(text)!))
}
