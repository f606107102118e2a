import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Logger } from '../../../../kit/logger.ts'
import { parseRequest } from '../../../../kit/validate.ts'
import type { ClosingList } from '../../../jobs/closing-list.ts'
import { quietly, repeat } from '../../../jobs/repeat.ts'
import type { ObjectStore } from '../../storage/object-store.ts'
import { createAssetProcessor } from './asset-processor.ts'
import type { AssetSettings, BakeDefaults } from './asset-settings.ts'
import type { BakeCommand, PostprocessCommand } from './protocol.ts'
import { registerProcessorRoutes } from './routes.ts'
import type { Processor } from './routes.ts'

/** The two processors of 3D models of the specified platform: the worker optimizes a model, the baker brings it to its budget. */

export interface AssetsPartOptions {
  app: FastifyInstance
  objects: ObjectStore
  settings: AssetSettings
  logger: Logger
  closing: ClosingList
}

const BAKED = 'asset-baker'
const OPTIMIZED = 'asset-worker'
const KEPT_MS = 7 * 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
/** The limit of the library's own command for optimizing. */
const WORKER_TEXTURE_SIZE = 2048

/** Registers the routes of both processors; their results are removed after seven days. */
export function openAssets({ app, objects, settings, logger, closing }: AssetsPartOptions): void {
  const processor = createAssetProcessor(logger)
  const prune = quietly(logger, 'results of the asset processors cannot be removed', async () => {
    for (const bucket of [BAKED, OPTIMIZED]) await objects.removeOlder(bucket, Date.now() - KEPT_MS)
  })
  void prune()
  const stop = repeat(prune, HOUR_MS)
  closing.add(async () => {
    await stop()
    processor.close()
  })
  registerProcessorRoutes(app, assetWorker(settings), { objects, processor })
  registerProcessorRoutes(app, assetBaker(settings), { objects, processor })
}

/** Fields of forms are texts; an empty one counts as absent. */
const absent = (value: unknown): unknown => (value === '' ? undefined : value)
const numeric = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : absent(value)
const boolean = (value: unknown): unknown => ({ true: true, false: false })[value as string] ?? absent(value)
const number = (schema: z.ZodNumber) => z.preprocess(numeric, schema.optional())
const meters = number(z.number().positive().max(10_000))
const unsupported = (what: string) =>
  z.preprocess(boolean, z.literal(false, `${what} is not supported: expected false`).optional())

const PostprocessFields = z.strictObject({
  target_height_m: meters,
  target_width_m: meters,
  normalize_axis: z.preprocess(absent, z.enum(['height', 'width']).default('height')),
  up_axis: z.preprocess(absent, z.enum(['keep', 'x', 'y', 'z']).default('keep')),
  simplify_ratio: number(z.number().positive().max(1)),
  collider_decimation: number(z.number().positive().max(1)),
  meshopt: z.preprocess(boolean, z.boolean().default(false)),
  draco: unsupported('Compression by Draco'),
  ktx2: unsupported('Compression of textures by KTX2'),
})

function assetWorker({ worker }: AssetSettings): Processor {
  return {
    title: 'The asset worker',
    prefix: '/asset-worker',
    path: '/gltf/postprocess',
    artifacts: '/gltf/artifacts',
    bucket: OPTIMIZED,
    settings: worker,
    commandOf(fields): PostprocessCommand {
      const asked = parseRequest(PostprocessFields, fields)
      const axis = asked.normalize_axis
      return {
        command: 'postprocess',
        axis,
        size: (axis === 'height' ? asked.target_height_m : asked.target_width_m) ?? null,
        up: asked.up_axis,
        simplifyRatio: asked.simplify_ratio ?? asked.collider_decimation ?? null,
        meshopt: asked.meshopt,
        textureSize: WORKER_TEXTURE_SIZE,
      }
    },
    describe(command, { summary }, seconds) {
      const { axis, size, up, simplifyRatio, meshopt } = command as PostprocessCommand
      return {
        normalization: { up_axis: up, base_y: 0, normalize_axis: axis, [`target_${axis}_m`]: size },
        optimization: { simplify_ratio: simplifyRatio, meshopt, draco: false, ktx2: false },
        summary: {
          faces_in: summary.facesIn,
          tris_out: summary.trianglesOut,
          tex_size: summary.textureSize,
          duration_s: seconds,
        },
      }
    },
  }
}

const BakeFields = (defaults: BakeDefaults) =>
  z.strictObject({
    target_tris: number(z.number().int().min(12).max(10_000_000)).transform((value) => value ?? defaults.triangles),
    tex_size: number(z.number().int().min(16).max(8192)).transform((value) => value ?? defaults.textureSize),
    canonical_size: number(z.number().min(0.001).max(1000)).transform((value) => value ?? defaults.canonicalSize),
    mode: z.preprocess(absent, z.enum(['bake', 'skip']).default('bake')),
  })

function assetBaker({ baker, bake }: AssetSettings): Processor {
  const Fields = BakeFields(bake)
  return {
    title: 'The asset baker',
    prefix: '/asset-baker',
    path: '/assets/bake',
    artifacts: '/assets/artifacts',
    bucket: BAKED,
    settings: baker,
    commandOf(fields): BakeCommand {
      const { target_tris, tex_size, canonical_size, mode } = parseRequest(Fields, fields)
      return {
        command: 'bake',
        mode,
        triangles: target_tris,
        textureSize: tex_size,
        canonicalSize: canonical_size,
        minBrightness: bake.minBrightness,
      }
    },
    describe(command, { summary }, seconds) {
      return {
        // The textures are inside the GLB file.
        textures: [],
        summary: {
          mode: (command as BakeCommand).mode,
          faces_in: summary.facesIn,
          tris_out: summary.trianglesOut,
          tex_size: summary.textureSize,
          color_mean: summary.brightness,
          duration_s: seconds,
        },
      }
    },
  }
}
