import { createRequire } from 'node:module'
import { Document, NodeIO } from '@gltf-transform/core'
import { ALL_EXTENSIONS, EXTTextureWebP } from '@gltf-transform/extensions'
import sharp from 'sharp'

/** Models for tests of the asset processors. */

export interface SphereOptions {
  /** Triangles: 2 × rings × segments, less those at the poles. */
  rings: number
  segments: number
  radius?: number
  /** Middle of the sphere. */
  at?: [number, number, number]
  baseColorFactor?: [number, number, number, number]
  metallic?: number
  texture?: { bytes: Uint8Array; mimeType: string } | null
}

/** A sphere with normals and texture coordinates. */
export function sphere(options: SphereOptions): Document {
  const { rings, segments, radius = 1, at = [0, 0, 0], baseColorFactor = [1, 1, 1, 1], metallic = 1 } = options
  const document = new Document()
  const buffer = document.createBuffer()
  const [positions, normals, uvs, indices]: number[][] = [[], [], [], []]
  for (let ring = 0; ring <= rings; ring += 1)
    for (let segment = 0; segment <= segments; segment += 1) {
      const [theta, phi] = [(ring / rings) * Math.PI, (segment / segments) * 2 * Math.PI]
      const normal = [Math.sin(theta) * Math.cos(phi), Math.cos(theta), Math.sin(theta) * Math.sin(phi)]
      normals!.push(...normal)
      positions!.push(...normal.map((value, axis) => at[axis]! + value * radius))
      uvs!.push(segment / segments, ring / rings)
    }
  for (let ring = 0; ring < rings; ring += 1)
    for (let segment = 0; segment < segments; segment += 1) {
      const [a, b] = [ring * (segments + 1) + segment, (ring + 1) * (segments + 1) + segment]
      if (ring > 0) indices!.push(a, a + 1, b)
      if (ring < rings - 1) indices!.push(a + 1, b + 1, b)
    }
  const accessor = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setArray(new Float32Array(values)).setBuffer(buffer)
  const material = document.createMaterial('paint').setBaseColorFactor(baseColorFactor).setMetallicFactor(metallic)
  if (options.texture !== undefined && options.texture !== null) {
    const { bytes, mimeType } = options.texture
    if (mimeType === 'image/webp') document.createExtension(EXTTextureWebP).setRequired(true)
    material.setBaseColorTexture(document.createTexture('paint').setImage(bytes).setMimeType(mimeType))
  }
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', positions!))
    .setAttribute('NORMAL', accessor('VEC3', normals!))
    .setAttribute('TEXCOORD_0', accessor('VEC2', uvs!))
    .setIndices(document.createAccessor().setType('SCALAR').setArray(new Uint32Array(indices!)).setBuffer(buffer))
    .setMaterial(material)
  const node = document.createNode('sphere').setMesh(document.createMesh('sphere').addPrimitive(primitive))
  document.createScene('scene').addChild(node)
  return document
}

/** Triangles that touch no other one. */
export function soup(triangles: number): Document {
  const document = new Document()
  const positions = new Float32Array(triangles * 9)
  for (let index = 0; index < triangles; index += 1) {
    const [x, y, z] = [index % 50, Math.floor(index / 50) % 50, Math.floor(index / 2500)]
    positions.set([x, y, z, x + 0.4, y, z, x, y + 0.4, z + 0.1], index * 9)
  }
  const buffer = document.createBuffer()
  const position = document.createAccessor().setType('VEC3').setArray(positions).setBuffer(buffer)
  const mesh = document.createMesh().addPrimitive(document.createPrimitive().setAttribute('POSITION', position))
  document.createScene().addChild(document.createNode().setMesh(mesh))
  return document
}

const io = () => new NodeIO().registerExtensions(ALL_EXTENSIONS)

export const glbOf = async (document: Document): Promise<Uint8Array> => io().writeBinary(document)
export const readGlb = async (bytes: Uint8Array): Promise<Document> => io().readBinary(bytes)

/** A square picture of one colour. */
export async function picture(
  side: number,
  color: string,
  format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
): Promise<{ bytes: Uint8Array; mimeType: string }> {
  const image = sharp({ create: { width: side, height: side, channels: 3, background: color } })
  return { bytes: new Uint8Array(await image.toFormat(format).toBuffer()), mimeType: `image/${format}` }
}

/** Describes what tests change in the description of a model. */
export interface GltfDescription {
  accessors: { componentType: number; type: string; count: number; bufferView?: number }[]
  nodes: { children?: number[] }[]
  meshes: { primitives: { attributes: Record<string, number> }[] }[]
  images: { uri?: string }[]
  buffers: { byteLength: number; uri?: string }[]
  extensionsUsed?: string[]
  extensionsRequired?: string[]
}

/** A GLB file whose description has been changed. */
export function withDescription(file: Uint8Array, change: (json: GltfDescription) => void): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const length = view.getUint32(12, true)
  const json = JSON.parse(Buffer.from(file.subarray(20, 20 + length)).toString('utf8')) as GltfDescription
  change(json)
  const text = Buffer.from(JSON.stringify(json))
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)])
  const rest = file.subarray(20 + length)
  const head = Buffer.alloc(20)
  head.writeUInt32LE(0x46546c67, 0)
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(20 + padded.length + rest.length, 8)
  head.writeUInt32LE(padded.length, 12)
  head.writeUInt32LE(0x4e4f534a, 16)
  return new Uint8Array(Buffer.concat([head, padded, rest]))
}

interface Validator {
  validateBytes(
    bytes: Uint8Array,
    options: object,
  ): Promise<{ issues: { messages: { severity: number; code: string }[] } }>
}

/** Codes of the errors that the validator of Khronos finds. */
export async function gltfErrors(bytes: Uint8Array): Promise<string[]> {
  const validator = createRequire(import.meta.url)('gltf-validator') as Validator
  const { issues } = await validator.validateBytes(bytes, { format: 'glb' })
  return issues.messages.filter(({ severity }) => severity === 0).map(({ code }) => code)
}
