import { createHash } from 'node:crypto'

/**
 * A small deterministic embedding for tests: each word adds ±1 to three components chosen by its hash. Texts that share words
 * point the same way; a text without words is the zero vector.
 */
export function hashEmbedding(text: string, dimensions = 768): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const digest = createHash('sha256').update(word).digest()
    for (let place = 0; place < 3; place += 1) {
      const value = digest.readUInt32LE(place * 4)
      const index = value % dimensions
      vector[index] = vector[index]! + (value & 0x8000_0000 ? -1 : 1)
    }
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((component) => component / length)
}

/** `hashEmbedding` in the batch form that services take. */
export const hashEmbeddings = async (texts: readonly string[]): Promise<Float32Array[]> =>
  texts.map((text) => hashEmbedding(text))
