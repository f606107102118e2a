import { Primitive } from '@gltf-transform/core'
import type { Document, Material, Texture, vec2, vec3 } from '@gltf-transform/core'
import type { Transform } from '@gltf-transform/extensions'
import { pixelsOf } from './textures.ts'
import type { Pixels } from './textures.ts'
import { forEachPrimitive } from './triangles.ts'

/**
 * Mean brightness of a model's surface: the base colour (texture, factor and vertex colour, multiplied as light, glTF 2.0 section 3.9.2) as sRGB values,
 * averaged over red, green and blue and over the area of all triangles. Metalness and lights have no part in it. Texels that no triangle shows
 * do not count: the unused part of an atlas is often black.
 */

/** Corners' weights of the points at which a triangle is looked at. */
const POINTS: readonly vec3[] = [
  [1 / 3, 1 / 3, 1 / 3],
  [2 / 3, 1 / 6, 1 / 6],
  [1 / 6, 2 / 3, 1 / 6],
  [1 / 6, 1 / 6, 2 / 3],
]

/** 0 to 1; null for a scene without a surface. Its primitives must be triangles. */
export async function meanBrightness(document: Document): Promise<number | null> {
  const pixels = await decodeBaseColors(document)
  let sum = 0
  let total = 0
  forEachPrimitive(document, (primitive, node) => {
    if (primitive.getMode() !== Primitive.Mode.TRIANGLES) return
    const position = primitive.getAttribute('POSITION')!
    const indices = primitive.getIndices()?.getArray() ?? null
    const colorAt = colorOf(primitive, pixels)
    const matrix = node.getWorldMatrix()
    const corner = (index: number): vec3 => transformed(position.getElement<vec3>(index, [0, 0, 0]), matrix)
    const count = indices?.length ?? position.getCount()
    for (let at = 0; at + 2 < count; at += 3) {
      const [a, b, c] = indices === null ? [at, at + 1, at + 2] : [indices[at]!, indices[at + 1]!, indices[at + 2]!]
      const area = areaOf(corner(a), corner(b), corner(c))
      total += area
      for (const weights of POINTS) sum += (area / POINTS.length) * colorAt([a, b, c], weights)
    }
  })
  return total > 0 ? sum / total : null
}

async function decodeBaseColors(document: Document): Promise<ReadonlyMap<Texture, Pixels>> {
  const root = document.getRoot()
  const used = new Set(root.listMaterials().map((material) => material.getBaseColorTexture()))
  const decoded = new Map<Texture, Pixels>()
  for (const [index, texture] of root.listTextures().entries())
    if (used.has(texture)) decoded.set(texture, await pixelsOf(texture, index))
  return decoded
}

type ColorAt = (corners: vec3, weights: vec3) => number

/** The brightness of a point of a triangle of this primitive. */
function colorOf(primitive: Primitive, pixels: ReadonlyMap<Texture, Pixels>): ColorAt {
  const material = primitive.getMaterial()
  const factor = material?.getBaseColorFactor() ?? [1, 1, 1, 1]
  const vertexColors = primitive.getAttribute('COLOR_0')
  const texture = material?.getBaseColorTexture() ?? null
  const picture = texture === null ? undefined : pixels.get(texture)
  const info = material?.getBaseColorTextureInfo() ?? null
  const uv = primitive.getAttribute(`TEXCOORD_${info?.getTexCoord() ?? 0}`)
  const placed = uvTransform(material)
  const element: number[] = []
  return (corners, weights) => {
    const mixed = (accessor: NonNullable<typeof uv>, component: number): number =>
      corners.reduce(
        (sum, index, corner) => sum + accessor.getElement(index, element)[component]! * weights[corner]!,
        0,
      )
    const texel = picture === undefined || uv === null ? null : texelAt(picture, placed([mixed(uv, 0), mixed(uv, 1)]))
    let sum = 0
    for (let channel = 0; channel < 3; channel += 1) {
      const vertex = vertexColors === null ? 1 : mixed(vertexColors, channel)
      const light = (texel === null ? 1 : toLight(texel[channel]! / 255)) * factor[channel]! * vertex
      sum += toSrgb(Math.min(1, Math.max(0, light)))
    }
    return sum / 3
  }
}

/** KHR_texture_transform: scale, then rotation, then offset. */
function uvTransform(material: Material | null): (uv: vec2) => vec2 {
  const transform = material?.getBaseColorTextureInfo()?.getExtension<Transform>('KHR_texture_transform') ?? null
  if (transform === null) return (uv) => uv
  const [sx, sy] = transform.getScale()
  const [ox, oy] = transform.getOffset()
  const [cos, sin] = [Math.cos(transform.getRotation()), Math.sin(transform.getRotation())]
  return ([u, v]) => [cos * u * sx + sin * v * sy + ox, cos * v * sy - sin * u * sx + oy]
}

/** The nearest texel; coordinates outside repeat the picture. */
function texelAt({ data, width, height }: Pixels, [u, v]: vec2): Uint8Array {
  const wrapped = (value: number, size: number): number =>
    Number.isFinite(value) ? Math.min(size - 1, Math.floor((value - Math.floor(value)) * size)) : 0
  const at = (wrapped(v, height) * width + wrapped(u, width)) * 3
  return data.subarray(at, at + 3)
}

/** IEC 61966-2-1, both ways. */
const toLight = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toSrgb = (light: number): number => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)

const transformed = ([x, y, z]: vec3, m: readonly number[]): vec3 => [
  m[0]! * x + m[4]! * y + m[8]! * z + m[12]!,
  m[1]! * x + m[5]! * y + m[9]! * z + m[13]!,
  m[2]! * x + m[6]! * y + m[10]! * z + m[14]!,
]

function areaOf(a: vec3, b: vec3, c: vec3): number {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]]
  return Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2
}
