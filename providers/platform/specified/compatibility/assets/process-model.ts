import { Logger, NodeIO, Primitive } from '@gltf-transform/core'
import type { Document } from '@gltf-transform/core'
import { ALL_EXTENSIONS } from '@gltf-transform/extensions'
import { convertPrimitiveToTriangles, dedup, dequantize, meshopt, prune } from '@gltf-transform/functions'
import { MeshoptEncoder } from 'meshoptimizer'
import { AssetError } from './asset-error.ts'
import { meanBrightness } from './brightness.ts'
import { checkDescription, validateGlb } from './check-glb.ts'
import { keepOneScene, place } from './placement.ts'
import type { AssetCommand, AssetSummary, BakeCommand, PostprocessCommand } from './protocol.ts'
import { limitTextures } from './textures.ts'
import { countTriangles, forEachPrimitive, simplifyBy, simplifyTo } from './triangles.ts'

/** A processed model with what it was and has become. Throws `AssetError` for a model that cannot be processed as asked. */
export async function processModel(
  file: Uint8Array,
  command: AssetCommand,
): Promise<{ bytes: Uint8Array; summary: AssetSummary }> {
  checkDescription(file)
  await validateGlb(file)
  const io = new NodeIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions(ALL_EXTENSIONS)
    .registerDependencies({ 'meshopt.encoder': MeshoptEncoder })
  const document = (await io.readBinary(file)).setLogger(new Logger(Logger.Verbosity.SILENT))
  const summary = command.command === 'bake' ? await bake(document, command) : await postprocess(document, command)
  return { bytes: await io.writeBinary(document), summary }
}

/** Within the budget of triangles and textures, of the canonical size, and bright enough. */
async function bake(document: Document, command: BakeCommand): Promise<AssetSummary> {
  const scene = keepOneScene(document)
  const facesIn = countTriangles(document)
  if (facesIn === 0) throw new AssetError('The model has no triangles in its scene')
  let textureSize = 0
  let brightness: number | null = null
  if (command.mode === 'bake') {
    await document.transform(dequantize())
    onlyTriangles(document)
    await simplifyTo(document, command.triangles)
    textureSize = await limitTextures(document, command.textureSize)
    brightness = await meanBrightness(document)
    if (brightness === null) throw new AssetError('The model has no surface: the area of its triangles is 0')
    if (brightness < command.minBrightness)
      throw new AssetError(
        `The model is too dark: its mean brightness is ${brightness.toFixed(3)}, at least ${command.minBrightness} is required (ASSET_BAKER_BRIGHTNESS_MIN)`,
      )
  }
  place(document, scene, { of: 'largest', size: command.canonicalSize })
  await document.transform(pruned)
  return { facesIn, trianglesOut: countTriangles(document), textureSize, brightness }
}

/** Placed and scaled, without duplicates, its textures within the limit. */
async function postprocess(document: Document, command: PostprocessCommand): Promise<AssetSummary> {
  const scene = keepOneScene(document)
  const facesIn = countTriangles(document)
  place(document, scene, { of: command.axis, size: command.size }, command.up)
  if (command.simplifyRatio !== null) await simplifyBy(document, command.simplifyRatio)
  const textureSize = await limitTextures(document, command.textureSize)
  await document.transform(dedup(), pruned)
  if (command.meshopt) {
    await MeshoptEncoder.ready
    await document.transform(meshopt({ encoder: MeshoptEncoder, level: 'medium' }))
  }
  return { facesIn, trianglesOut: countTriangles(document), textureSize, brightness: null }
}

/** Drops what nothing refers to. Empty nodes may be where an application attaches something. */
const pruned = prune({ keepLeaves: true, keepAttributes: true, keepSolidTextures: true })

function onlyTriangles(document: Document): void {
  const { TRIANGLE_STRIP, TRIANGLE_FAN } = Primitive.Mode
  forEachPrimitive(document, (primitive) => {
    const mode = primitive.getMode()
    if (mode === TRIANGLE_STRIP || mode === TRIANGLE_FAN) convertPrimitiveToTriangles(primitive)
  })
}
