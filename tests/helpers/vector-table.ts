import { createFloatVectorTable, type VectorTable } from '../../providers/platform/stores/vectors/dense-vectors.ts'

/** A table of these vectors in their order. They must be of one dimension. */
export function createVectorTable(vectors: readonly Float32Array[]): VectorTable {
  const table = createFloatVectorTable(vectors.length, vectors[0]?.length ?? 0)
  for (const [row, vector] of vectors.entries()) table.set(row, vector)
  return table
}
