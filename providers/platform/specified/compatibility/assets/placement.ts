import { getBounds } from '@gltf-transform/functions'
import type { Document, Node, Scene, vec3, vec4 } from '@gltf-transform/core'
import { AssetError } from './asset-error.ts'

export type UpAxis = 'keep' | 'x' | 'y' | 'z'

/** Names the part of the model that gets a size: its largest dimension, its height, or the larger of width and depth. */
export interface Target {
  of: 'largest' | 'height' | 'width'
  /** Null keeps the size. */
  size: number | null
}

const HALF = Math.SQRT1_2
/** Turns that bring an axis to +Y. */
const TURNS: Readonly<Record<'x' | 'z', vec4>> = { x: [0, 0, HALF, HALF], z: [-HALF, 0, 0, HALF] }

/** The scene that viewers show first; the others are dropped. Throws `AssetError` where there is none. */
export function keepOneScene(document: Document): Scene {
  const root = document.getRoot()
  const scenes = root.listScenes()
  const scene = root.getDefaultScene() ?? scenes[0]
  if (scene === undefined) throw new AssetError('The model has no scene')
  for (const other of scenes) if (other !== scene) other.dispose()
  root.setDefaultScene(scene)
  return scene
}

/** Turns and scales the scene, puts its base at y = 0 and its middle over the origin, by nodes above it, so that skins and animations keep working. */
export function place(document: Document, scene: Scene, target: Target, up: UpAxis = 'keep'): void {
  if (up === 'x' || up === 'z') wrap(document, scene, 'orientation').setRotation(TURNS[up])
  const { min, max } = boundsOf(scene)
  const extent = max.map((most, axis) => most - min[axis]!) as vec3
  const size = { largest: Math.max(...extent), height: extent[1], width: Math.max(extent[0], extent[2]) }[target.of]
  if (target.size !== null && !(size > 0))
    throw new AssetError(`The model cannot be scaled: its ${target.of} size is 0`)
  const scale = target.size === null ? 1 : target.size / size
  if (!Number.isFinite(scale)) throw new AssetError('The model cannot be scaled: it is too small')
  wrap(document, scene, 'placement')
    .setScale([scale, scale, scale])
    .setTranslation([(-(min[0] + max[0]) / 2) * scale, -min[1] * scale, (-(min[2] + max[2]) / 2) * scale])
}

function boundsOf(scene: Scene): { min: vec3; max: vec3 } {
  const bounds = getBounds(scene)
  if (![...bounds.min, ...bounds.max].every(Number.isFinite))
    throw new AssetError('The model has no vertices in its scene')
  return bounds
}

function wrap(document: Document, scene: Scene, name: string): Node {
  const node = document.createNode(name)
  for (const child of scene.listChildren()) node.addChild(child)
  scene.addChild(node)
  return node
}
