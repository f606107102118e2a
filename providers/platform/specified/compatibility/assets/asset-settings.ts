import type { EnvReader } from '../../../../kit/env-reader.ts'

/** Limits of one of the two processors. */
export interface ProcessorSettings {
  maxUploadBytes: number
  timeoutMs: number
  /** Models that are processed at once. */
  concurrency: number
}

/** Values of a bake for fields that its request leaves out. */
export interface BakeDefaults {
  triangles: number
  /** Longest side of a texture, in pixels. */
  textureSize: number
  /** Largest dimension of the model. */
  canonicalSize: number
  /** 0 to 1; a darker model is refused. */
  minBrightness: number
}

export interface AssetSettings {
  worker: ProcessorSettings
  baker: ProcessorSettings
  bake: BakeDefaults
}

/** Reads `ASSET_*` except the tokens, which are part of the identity. */
export function readAssetSettings(reader: EnvReader): AssetSettings {
  const limits = (prefix: 'ASSET_WORKER' | 'ASSET_BAKER'): ProcessorSettings => ({
    maxUploadBytes: reader.integer(`${prefix}_MAX_UPLOAD_MB`, { min: 1, max: 1024 }) * 1024 * 1024,
    timeoutMs: reader.seconds(`${prefix}_TIMEOUT_SECONDS`, { max: 3600 }) * 1000,
    concurrency: reader.integer(`${prefix}_CONCURRENCY`, { min: 1, max: 64 }),
  })
  return {
    worker: limits('ASSET_WORKER'),
    baker: limits('ASSET_BAKER'),
    bake: {
      triangles: reader.integer('ASSET_BAKER_TARGET_TRIS', { min: 12, max: 10_000_000 }),
      textureSize: reader.integer('ASSET_BAKER_TEX_SIZE', { min: 16, max: 8192 }),
      canonicalSize: reader.decimal('ASSET_BAKER_CANONICAL_SIZE', { min: 0.001, max: 1000 }),
      minBrightness: reader.decimal('ASSET_BAKER_BRIGHTNESS_MIN', { min: 0, max: 1 }),
    },
  }
}
