import { Primitive } from '@gltf-transform/core'
import type { Document, Node } from '@gltf-transform/core'
import { simplify, weld } from '@gltf-transform/functions'
import { MeshoptSimplifier } from 'meshoptimizer'
import { AssetError } from './asset-error.ts'

const { TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN } = Primitive.Mode
/** The only limit is the number of triangles. */
const ANY_ERROR = 1

/** Triangles that the scene shows: those of a mesh count once for each node that has it. */
export function countTriangles(document: Document): number {
  let count = 0
  forEachPrimitive(document, (primitive) => (count += trianglesOf(primitive)))
  return count
}

export function forEachPrimitive(document: Document, visit: (primitive: Primitive, node: Node) => void): void {
  const root = document.getRoot()
  ;(root.getDefaultScene() ?? root.listScenes()[0])?.traverse((node) => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) visit(primitive, node)
  })
}

function trianglesOf(primitive: Primitive): number {
  const points = primitive.getIndices()?.getCount() ?? primitive.getAttribute('POSITION')?.getCount() ?? 0
  switch (primitive.getMode()) {
    case TRIANGLES:
      return Math.floor(points / 3)
    case TRIANGLE_STRIP:
    case TRIANGLE_FAN:
      return Math.max(0, points - 2)
    default:
      return 0
  }
}

type Simplifier = Pick<typeof MeshoptSimplifier, 'ready' | 'simplify'>

/**
 * From the way that keeps the surface best to the one that always arrives: edges are collapsed; small loose parts are dropped too; vertices are
 * merged by a grid, whatever was connected.
 */
const WAYS: readonly Simplifier[] = [
  MeshoptSimplifier,
  {
    ready: MeshoptSimplifier.ready,
    simplify: (indices, positions, stride, target, error, flags = []) =>
      MeshoptSimplifier.simplify(indices, positions, stride, target, error, [...flags, 'Prune']),
  },
  {
    ready: MeshoptSimplifier.ready,
    simplify: (indices, positions, stride, target, error) =>
      MeshoptSimplifier.simplifySloppy(indices, positions, stride, null, target, error),
  },
]

/** Reduces the scene to at most `budget` triangles. Throws `AssetError` where that leaves nothing of it. */
export async function simplifyTo(document: Document, budget: number): Promise<void> {
  for (const simplifier of WAYS) {
    const count = countTriangles(document)
    if (count <= budget) break
    await document.transform(weld(), simplify({ simplifier, ratio: budget / count, error: ANY_ERROR }))
  }
  const left = countTriangles(document)
  if (left > budget || left === 0)
    throw new AssetError(`The model cannot be reduced to ${budget} triangles: ${left} would be left`)
}

/** Keeps about that share of the triangles, as far as the surface does not change by more than a thousandth of its size. */
export async function simplifyBy(document: Document, ratio: number): Promise<void> {
  await document.transform(weld(), simplify({ simplifier: MeshoptSimplifier, ratio, error: 0.001 }))
}
