import type { DenseMatrix } from './dense-matrix.ts'
import { matrixBytes } from './dense-matrix.ts'

/** Matrices of the generations searched last, within a memory budget; the least recently used one goes first. */
export class MatrixCache {
  readonly #budgetBytes: number
  readonly #matrices = new Map<number, DenseMatrix>()

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  /** Whether a collection of this size may be kept in memory at all. */
  fits(count: number, dimensions: number): boolean {
    return matrixBytes(count, dimensions) <= this.#budgetBytes
  }

  /** The matrix of a generation, loaded on first use. */
  get(generation: number, load: () => DenseMatrix): DenseMatrix {
    const matrix = this.#matrices.get(generation) ?? load()
    this.#matrices.delete(generation)
    this.#matrices.set(generation, matrix)
    for (const oldest of this.#matrices.keys()) {
      if (oldest === generation || this.#totalBytes() <= this.#budgetBytes) break
      this.#matrices.delete(oldest)
    }
    return matrix
  }

  delete(generation: number): void {
    this.#matrices.delete(generation)
  }

  #totalBytes(): number {
    let total = 0
    for (const { bytes } of this.#matrices.values()) total += bytes
    return total
  }
}
