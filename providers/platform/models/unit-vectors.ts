import type { ModelRole } from '../../../contract/manifests/models.ts'
import { ModelCallError } from './model-host.ts'

/**
 * The vectors scaled to length 1, in their order. Throws `ModelCallError` `invalid_response` when there are not `count` of them, their
 * dimensions differ from each other or from `dimensions`, or one is empty, zero or not finite.
 */
export function unitVectors(
  role: ModelRole,
  vectors: readonly ArrayLike<number>[],
  count: number,
  dimensions = vectors[0]?.length ?? 0,
): Float32Array[] {
  if (vectors.length !== count) throw invalid(role, `expected ${count} embeddings, received ${vectors.length}`)
  return vectors.map((vector, index) => {
    if (vector.length !== dimensions || dimensions === 0) {
      throw invalid(role, `embedding ${index} has ${vector.length} dimensions, the first has ${dimensions}`)
    }
    return unitVector(role, vector, index)
  })
}

function unitVector(role: ModelRole, vector: ArrayLike<number>, index: number): Float32Array {
  const length = Math.hypot(...Array.from(vector))
  if (!Number.isFinite(length)) throw invalid(role, `embedding ${index} holds a value that is not a finite number`)
  if (length === 0) throw invalid(role, `embedding ${index} is all zeros`)
  const unit = new Float32Array(vector.length)
  for (let at = 0; at < vector.length; at += 1) unit[at] = vector[at]! / length
  return unit
}

function invalid(role: ModelRole, problem: string): ModelCallError {
  return new ModelCallError('invalid_response', role, `The model of role ${role} answered wrongly: ${problem}`)
}
