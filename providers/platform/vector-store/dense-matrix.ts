import { createDotKernel, kernelBytes } from './dot-kernel.ts'
import type { DotKernel } from './dot-kernel.ts'
import type { LegHit } from './fusion.ts'

/**
 * The vectors of one collection in memory, unit length, row after row. sqlite-vec's prebuilt library scans without SIMD on x64 and
 * spends more than the whole time budget of a hybrid search on 10,000 × 768; the kernel takes a tenth of that.
 */
export interface DenseMatrix {
  ids: Int32Array
  kernel: DotKernel
  bytes: number
}

/** Bytes that a matrix of so many vectors takes. */
export const matrixBytes = (count: number, dimensions: number): number => kernelBytes(count, dimensions) + count * 4

/** A matrix from vectors in id order. */
export function buildMatrix(
  vectors: Iterable<{ id: number; vector: Float32Array }>,
  count: number,
  dimensions: number,
): DenseMatrix {
  const ids = new Int32Array(count)
  const kernel = createDotKernel(count, dimensions)
  let index = 0
  for (const { id, vector } of vectors) {
    if (index >= count) throw new RangeError(`more than ${count} vectors`)
    ids[index] = id
    kernel.rows.set(vector, index * kernel.stride)
    index += 1
  }
  if (index !== count) throw new RangeError(`${index} vectors where ${count} were counted`)
  return { ids, kernel, bytes: matrixBytes(count, dimensions) }
}

/** The `limit` rows with the highest dot product with a unit vector, best first, equal ones by id. */
export function nearestRows(matrix: DenseMatrix, query: Float32Array, limit: number): LegHit[] {
  const { ids, kernel } = matrix
  kernel.query.set(query)
  const scores = kernel.dots()
  const size = Math.min(limit, ids.length)
  const bestIds = new Int32Array(size)
  const bestScores = new Float64Array(size).fill(-Infinity)
  let kept = 0
  for (let row = 0; row < ids.length; row += 1) {
    const score = scores[row]!
    if (kept === size && score <= bestScores[size - 1]!) continue
    let place = kept < size ? kept : size - 1
    while (place > 0 && bestScores[place - 1]! < score) {
      bestScores[place] = bestScores[place - 1]!
      bestIds[place] = bestIds[place - 1]!
      place -= 1
    }
    bestScores[place] = score
    bestIds[place] = ids[row]!
    if (kept < size) kept += 1
  }
  return Array.from(bestIds, (id, index) => ({ id, score: bestScores[index]! }))
}

/** The vector at unit length, or null for one without direction (all zeros). */
export function toUnitLength(vector: Float32Array): Float32Array | null {
  let squares = 0
  for (const component of vector) squares += component * component
  if (squares === 0) return null
  const length = Math.sqrt(squares)
  return vector.map((component) => component / length)
}
