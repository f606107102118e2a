import type { BakeDefaults } from './asset-settings.ts'
import type { UpAxis } from './placement.ts'

/** Describes what the baker does with a model. `skip` places and scales it only. */
export interface BakeCommand extends BakeDefaults {
  command: 'bake'
  mode: 'bake' | 'skip'
}

/** Describes what the worker does with a model. */
export interface PostprocessCommand {
  command: 'postprocess'
  axis: 'height' | 'width'
  /** Null keeps the size. */
  size: number | null
  up: UpAxis
  /** Share of the triangles to keep; null keeps all. */
  simplifyRatio: number | null
  /** Compresses vertices by EXT_meshopt_compression. */
  meshopt: boolean
  textureSize: number
}

export type AssetCommand = BakeCommand | PostprocessCommand

/** Sent to the working process; it reads one file and writes the other. */
export interface AssetRequest {
  input: string
  output: string
  command: AssetCommand
}

/** Describes what a model was and has become. */
export interface AssetSummary {
  facesIn: number
  trianglesOut: number
  /** Longest side of its textures; 0 without textures. */
  textureSize: number
  /** Null where it was not measured. */
  brightness: number | null
}

/** Describes what the working process answers. */
export type AssetAnswer =
  | { ok: true; summary: AssetSummary; sha256: string; sizeBytes: number }
  | { ok: false; code: 'invalid'; message: string }
  /** The library failed on this file; the message is for the log. */
  | { ok: false; code: 'unreadable'; message: string }
  /** Not the model's fault. */
  | { ok: false; code: 'failed'; message: string }
