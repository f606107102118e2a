import { getBounds } from '@gltf-transform/functions'
import type { Document } from '@gltf-transform/core'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import {
  glbOf,
  gltfErrors,
  picture,
  readGlb,
  soup,
  sphere,
  withDescription,
} from '../../../../../tests/helpers/glb-models.ts'
import { AssetError } from './asset-error.ts'
import { processModel } from './process-model.ts'
import type { BakeCommand, PostprocessCommand } from './protocol.ts'
import { countTriangles } from './triangles.ts'

const BAKE: BakeCommand = {
  command: 'bake',
  mode: 'bake',
  triangles: 39_000,
  textureSize: 2048,
  canonicalSize: 4,
  minBrightness: 0.05,
}
const POSTPROCESS: PostprocessCommand = {
  command: 'postprocess',
  axis: 'height',
  size: null,
  up: 'keep',
  simplifyRatio: null,
  meshopt: false,
  textureSize: 2048,
}
const SMALL = { rings: 8, segments: 16 }

const run = async (document: Document, command: BakeCommand | PostprocessCommand) =>
  processModel(await glbOf(document), command)

/** The sentence with which a file is refused. */
async function refusal(file: Uint8Array, command: BakeCommand | PostprocessCommand = BAKE): Promise<string> {
  const error = await processModel(file, command).then(
    () => null,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(AssetError)
  return (error as AssetError).message
}

function boundsOf(document: Document) {
  const { min, max } = getBounds(document.getRoot().getDefaultScene()!)
  const size = max.map((most, axis) => most - min[axis]!)
  const rounded = (values: readonly number[]) => values.map((value) => Math.round(value * 1000) / 1000 + 0)
  return {
    size: rounded(size),
    base: rounded([min[1]])[0],
    middle: rounded([(min[0] + max[0]) / 2, (min[2] + max[2]) / 2]),
  }
}

describe('the triangle budget', () => {
  it('reduces a sphere of 119,600 triangles to 39,000 at most, and the file stays valid and round', async () => {
    const { bytes, summary } = await run(sphere({ rings: 200, segments: 300 }), BAKE)
    expect(summary.facesIn).toBe(2 * 200 * 300 - 2 * 300)
    const baked = await readGlb(bytes)
    const left = countTriangles(baked)
    expect([left, summary.trianglesOut <= 39_000]).toEqual([summary.trianglesOut, true])
    // Most of the budget is used.
    expect(left).toBeGreaterThan(35_000)
    expect(await gltfErrors(bytes)).toEqual([])
    const position = baked.getRoot().listMeshes()[0]!.listPrimitives()[0]!.getAttribute('POSITION')!
    for (let index = 0; index < position.getCount(); index += 97)
      expect(Math.hypot(...position.getElement(index, [])) - 1).toBeCloseTo(0, 2)
  })

  it('leaves a model within the budget as it is', async () => {
    const { summary } = await run(sphere(SMALL), BAKE)
    expect([summary.facesIn, summary.trianglesOut]).toEqual([224, 224])
  })

  it('counts a mesh once for each node that shows it', async () => {
    const document = sphere(SMALL)
    const scene = document.getRoot().listScenes()[0]!
    const mesh = document.getRoot().listMeshes()[0]!
    for (let copy = 1; copy < 10; copy += 1)
      scene.addChild(
        document
          .createNode()
          .setMesh(mesh)
          .setTranslation([3 * copy, 0, 0]),
      )
    const { bytes, summary } = await run(document, { ...BAKE, triangles: 1000 })
    expect(summary.facesIn).toBe(2240)
    expect([countTriangles(await readGlb(bytes)) <= 1000, summary.trianglesOut > 500]).toEqual([true, true])
    expect(await gltfErrors(bytes)).toEqual([])
  })

  it('keeps to it where no triangle touches another one', async () => {
    const { bytes, summary } = await run(soup(50_000), BAKE)
    expect(summary.facesIn).toBe(50_000)
    const left = countTriangles(await readGlb(bytes))
    expect([left > 0, left <= 39_000]).toEqual([true, true])
    expect(await gltfErrors(bytes)).toEqual([])
  })
})

describe('the texture limit', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('reduces a %s of 4,096 pixels to 2,048, in its format', async (format) => {
    const { bytes, summary } = await run(sphere({ ...SMALL, texture: await picture(4096, '#c08040', format) }), BAKE)
    const [texture] = (await readGlb(bytes)).getRoot().listTextures()
    const { width, height, format: stored } = await sharp(texture!.getImage()!).metadata()
    expect([width, height, stored, texture!.getMimeType()]).toEqual([2048, 2048, format, `image/${format}`])
    expect(summary.textureSize).toBe(2048)
    expect(await gltfErrors(bytes)).toEqual([])
  })

  it('leaves a smaller one byte for byte', async () => {
    const texture = await picture(64, '#c08040')
    const { bytes, summary } = await run(sphere({ ...SMALL, texture }), BAKE)
    expect((await readGlb(bytes)).getRoot().listTextures()[0]!.getImage()).toEqual(texture.bytes)
    expect(summary.textureSize).toBe(64)
  })

  it('refuses a picture that is damaged, of another format, or huge', async () => {
    const withTexture = async (bytes: Uint8Array, mimeType: string) =>
      glbOf(sphere({ ...SMALL, texture: { bytes, mimeType } }))
    const png = await picture(64, '#fff')
    const gif = await picture(8, '#fff', 'gif')
    // A header that claims 60,000 × 60,000 pixels.
    const bomb = Buffer.from(png.bytes)
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    expect(await refusal(await withTexture(gif.bytes, 'image/png'))).toMatch(/texture|image|Image/i)
    expect(await refusal(await withTexture(png.bytes.slice(0, 90), 'image/png'))).toMatch(/Texture 0|image/i)
    expect(await refusal(await withTexture(new Uint8Array(bomb), 'image/png'))).toMatch(/60000 × 60000|no picture/)
  })
})

describe('the canonical size', () => {
  it('scales the largest dimension to 4, with the base at 0 and the middle over the origin', async () => {
    const document = sphere({ ...SMALL, radius: 0.25, at: [10, -7, 3] })
    document.getRoot().listNodes()[0]!.setScale([1, 2, 1])
    const { bytes } = await run(document, BAKE)
    expect(boundsOf(await readGlb(bytes))).toEqual({ size: [2, 4, 2], base: 0, middle: [0, 0] })
    const other = await run(document, { ...BAKE, canonicalSize: 1.5, mode: 'skip' })
    expect(boundsOf(await readGlb(other.bytes))).toEqual({ size: [0.75, 1.5, 0.75], base: 0, middle: [0, 0] })
    expect(other.summary.brightness).toBeNull()
  })

  it('refuses a model without an extent', async () => {
    const document = sphere({ ...SMALL, radius: 0 })
    expect(await refusal(await glbOf(document))).toBe('The model has no surface: the area of its triangles is 0')
    expect(await refusal(await glbOf(document), { ...BAKE, mode: 'skip' })).toBe(
      'The model cannot be scaled: its largest size is 0',
    )
  })
})

describe('the mean brightness', () => {
  const brightness = async (document: Document) =>
    (await run(document, { ...BAKE, minBrightness: 0 })).summary.brightness!

  it('is that of the base colour as sRGB, whatever the metalness', async () => {
    const grey = { ...SMALL, texture: await picture(16, '#808080') }
    expect(await brightness(sphere(grey))).toBeCloseTo(128 / 255, 2)
    expect(await brightness(sphere({ ...grey, metallic: 0 }))).toBeCloseTo(128 / 255, 2)
    // Half of its light: 0.216 × 0.5 as sRGB.
    expect(await brightness(sphere({ ...grey, baseColorFactor: [0.5, 0.5, 0.5, 1] }))).toBeCloseTo(0.363, 2)
    expect(await brightness(sphere(SMALL))).toBeCloseTo(1, 5)
  })

  it('does not count the part of a texture that no triangle shows', async () => {
    const half = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#000' } })
      .composite([{ input: { create: { width: 16, height: 32, channels: 3, background: '#fff' } }, left: 0, top: 0 }])
      .png()
      .toBuffer()
    const document = sphere({ ...SMALL, texture: { bytes: new Uint8Array(half), mimeType: 'image/png' } })
    expect(await brightness(document)).toBeCloseTo(0.5, 1)
    const uv = document.getRoot().listMeshes()[0]!.listPrimitives()[0]!.getAttribute('TEXCOORD_0')!
    for (let index = 0; index < uv.getCount(); index += 1) {
      const [u, v] = uv.getElement<number[]>(index, [])
      uv.setElement(index, [u! * 0.49, v!])
    }
    expect(await brightness(document)).toBeCloseTo(1, 5)
  })

  it.each([
    ['a black texture', async () => ({ texture: await picture(64, '#000') }), '0.000'],
    ['a nearly black texture', async () => ({ texture: await picture(64, '#0a0a0a') }), '0.039'],
    ['a black factor', async () => ({ baseColorFactor: [0, 0, 0, 1] as [number, number, number, number] }), '0.000'],
  ])('refuses %s', async (_what, options, shown) => {
    const file = await glbOf(sphere({ ...SMALL, ...(await options()) }))
    expect(await refusal(file)).toBe(
      `The model is too dark: its mean brightness is ${shown}, at least 0.05 is required (ASSET_BAKER_BRIGHTNESS_MIN)`,
    )
  })

  it('accepts a dark model that is above the limit', async () => {
    const { summary } = await run(sphere({ ...SMALL, texture: await picture(64, '#0f0f0f') }), BAKE)
    expect(summary.brightness).toBeCloseTo(15 / 255, 3)
  })
})

describe('a hostile or damaged file', () => {
  it('is refused with what is wrong', async () => {
    const file = await glbOf(sphere(SMALL))
    const changed = (change: Parameters<typeof withDescription>[1]) => withDescription(file, change)
    expect(await refusal(Buffer.from('solid stl\n'.repeat(9)))).toBe(
      'The file is no GLB file: expected binary glTF 2.0',
    )
    expect(await refusal(file.slice(0, -10))).toMatch(/^The GLB file is damaged: it declares \d+ bytes and has \d+$/)
    expect(await refusal(Buffer.from('PK\u0003\u0004'.padEnd(100)))).toMatch('no GLB file')
    const version = Buffer.from(file)
    version.writeUInt32LE(1, 4)
    expect(await refusal(version)).toBe('The GLB file has version 1: expected 2')
    const text = Buffer.from(file)
    text[20] = 0x5b
    expect(await refusal(text)).toBe('The GLB file is damaged: its description is not JSON')
    expect(await refusal(changed((json) => (json.accessors[0]!.count = 0)))).toMatch(
      'The GLB file is damaged: accessors.0.count',
    )
    expect(await refusal(changed((json) => (json.accessors[0]!.count = 5000)))).toMatch('The model is not valid glTF: ')
    expect(await refusal(changed((json) => (json.nodes[0]!.children = [0])))).toMatch('The model is not valid glTF: ')
    expect(await refusal(changed((json) => (json.meshes[0]!.primitives[0]!.attributes['POSITION'] = 99)))).toMatch(
      'The model is not valid glTF: ',
    )
  })

  it('may refer to no other file, on this machine or elsewhere', async () => {
    const file = await glbOf(sphere({ ...SMALL, texture: await picture(8, '#fff') }))
    for (const uri of ['texture.png', '../../etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:1/x.png']) {
      const image = withDescription(file, (json) => (json.images[0] = { uri }))
      expect(await refusal(image)).toBe(
        `The model refers to another file ("${uri}"): put all its data into the GLB file`,
      )
      const buffer = withDescription(file, (json) => void json.buffers.push({ byteLength: 4, uri }))
      expect(await refusal(buffer)).toMatch('refers to another file')
    }
  })

  it('may claim no more vertices than a model may have', async () => {
    const file = await glbOf(sphere(SMALL))
    // Zeros that the file does not have; and many views of the same bytes.
    const zeros = withDescription(
      file,
      (json) => void json.accessors.push({ componentType: 5126, type: 'VEC3', count: 2_000_000_000 }),
    )
    expect(await refusal(zeros)).toBe('The model declares 22889 MiB of vertices and indices: at most 512 are accepted')
    const many = withDescription(file, (json) => {
      for (let copy = 0; copy < 40_000; copy += 1) json.accessors.push({ ...json.accessors[0]!, count: 2000 })
    })
    expect(await refusal(many)).toMatch('MiB of vertices and indices: at most 512')
  })

  it.each(['KHR_draco_mesh_compression', 'EXT_meshopt_compression'])(
    'is refused when %s compresses it',
    async (name) => {
      const file = withDescription(await glbOf(sphere(SMALL)), (json) => (json.extensionsUsed = [name]))
      expect(await refusal(file)).toBe(`The model is compressed by ${name}: export it without compression`)
    },
  )

  it('is refused when it needs an extension that is not supported', async () => {
    const file = withDescription(await glbOf(sphere(SMALL)), (json) => {
      json.extensionsUsed = ['KHR_texture_basisu']
      json.extensionsRequired = ['KHR_texture_basisu']
    })
    expect(await refusal(file)).toBe('The model needs the extension "KHR_texture_basisu", which is not supported')
  })
})

describe('post-processing', () => {
  it('scales the height or the width, puts the base at 0 and keeps all triangles', async () => {
    const document = sphere({ ...SMALL, at: [5, 5, 5] })
    document.getRoot().listNodes()[0]!.setScale([1, 3, 1])
    const tall = await run(document, { ...POSTPROCESS, size: 1.8 })
    expect(boundsOf(await readGlb(tall.bytes))).toEqual({ size: [0.6, 1.8, 0.6], base: 0, middle: [0, 0] })
    const wide = await run(document, { ...POSTPROCESS, axis: 'width', size: 1 })
    expect(boundsOf(await readGlb(wide.bytes))).toEqual({ size: [1, 3, 1], base: 0, middle: [0, 0] })
    expect([tall.summary.facesIn, tall.summary.trianglesOut]).toEqual([224, 224])
    expect(await gltfErrors(tall.bytes)).toEqual([])
  })

  it.each([
    ['x', [3, 1, 1]],
    ['z', [1, 1, 3]],
  ] as const)('turns the axis %s up', async (up, scale) => {
    const document = sphere(SMALL)
    document
      .getRoot()
      .listNodes()[0]!
      .setScale([...scale])
    const { bytes } = await run(document, { ...POSTPROCESS, up })
    expect(boundsOf(await readGlb(bytes))).toEqual({ size: [2, 6, 2], base: 0, middle: [0, 0] })
  })

  it('simplifies by a ratio and compresses by meshopt', async () => {
    const document = sphere({ rings: 60, segments: 120 })
    const { bytes, summary } = await run(document, { ...POSTPROCESS, simplifyRatio: 0.5, meshopt: true })
    expect(summary.trianglesOut).toBeLessThan(summary.facesIn * 0.55)
    expect(bytes.length).toBeLessThan((await glbOf(document)).length / 4)
    const used = withUsed(bytes)
    expect(used).toContain('EXT_meshopt_compression')
  })
})

function withUsed(bytes: Uint8Array): string[] {
  let used: string[] = []
  withDescription(bytes, (json) => (used = json.extensionsUsed ?? []))
  return used
}
