import { createRequire } from 'node:module'
import { z } from 'zod'
import { AssetError } from './asset-error.ts'

/**
 * Checks of a GLB file (glTF 2.0, section 4) before the library reads it: sizes that only the file claims, addresses of other files, and extensions that
 * nothing here can read. Then the validator of Khronos checks every accessor.
 */

const MAGIC = 0x46546c67
const JSON_CHUNK = 0x4e4f534a
const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
/** The description of a large model has a few megabytes. */
const MAX_JSON_BYTES = 32 * 1024 * 1024
/**
 * Most bytes that vertices and indices take as 32-bit numbers: some 16 million vertices. Accessors may claim more than the file has: they share bytes,
 * or have none at all and count as zeros.
 */
const MAX_ACCESSOR_BYTES = 512 * 1024 * 1024
const MAX_ITEMS = 65_536
const MAX_REPORTED = 3

/** Extensions without which a model still reads as declared, or that the library reads. */
const READABLE = new Set([
  'KHR_mesh_quantization',
  'KHR_texture_transform',
  'KHR_lights_punctual',
  'KHR_materials_variants',
  'EXT_texture_webp',
])
const isReadable = (name: string): boolean => READABLE.has(name) || name.startsWith('KHR_materials_')
/** Their data replaces that of the accessors, also where a file does not require them. */
const COMPRESSIONS = ['KHR_draco_mesh_compression', 'EXT_meshopt_compression', 'KHR_meshopt_compression']
/** A count of copies that is not one of nodes. */
const INSTANCING = 'EXT_mesh_gpu_instancing'

const COMPONENTS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
}

const Resource = z.looseObject({ uri: z.string().optional() })
const items = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).max(MAX_ITEMS).default([])
const Description = z.looseObject({
  extensionsUsed: items(z.string()),
  extensionsRequired: items(z.string()),
  buffers: items(Resource),
  images: items(Resource),
  nodes: items(z.looseObject({})),
  meshes: items(z.looseObject({})),
  accessors: items(z.looseObject({ count: z.number().int().min(1), type: z.string() })),
})

/** Checks what the rest of the process relies on. Throws `AssetError`. */
export function checkDescription(file: Uint8Array): void {
  const parsed = Description.safeParse(readJson(file))
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw new AssetError(`The GLB file is damaged: ${path.join('.')}: ${message}`)
  }
  const { extensionsUsed, extensionsRequired, buffers, images, accessors } = parsed.data
  const foreign = [...buffers, ...images].find(({ uri }) => uri !== undefined && !/^data:/i.test(uri))
  if (foreign !== undefined)
    throw new AssetError(
      `The model refers to another file (${shown(foreign.uri!)}): put all its data into the GLB file`,
    )
  const compressed = COMPRESSIONS.find((name) => extensionsUsed.includes(name))
  if (compressed !== undefined)
    throw new AssetError(`The model is compressed by ${compressed}: export it without compression`)
  const unreadable = [...extensionsRequired.filter((name) => !isReadable(name)), ...extensionsUsed.filter(isInstancing)]
  if (unreadable.length > 0)
    throw new AssetError(`The model needs the extension ${shown(unreadable[0]!)}, which is not supported`)
  const bytes = accessors.reduce((sum, { count, type }) => sum + count * (COMPONENTS[type] ?? 1) * 4, 0)
  if (bytes > MAX_ACCESSOR_BYTES)
    throw new AssetError(
      `The model declares ${Math.ceil(bytes / 1024 / 1024)} MiB of vertices and indices: at most ${MAX_ACCESSOR_BYTES / 1024 / 1024} are accepted`,
    )
}

const isInstancing = (name: string): boolean => name === INSTANCING
const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

function readJson(file: Uint8Array): unknown {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.byteLength < HEADER_BYTES + CHUNK_HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new AssetError('The file is no GLB file: expected binary glTF 2.0')
  const version = view.getUint32(4, true)
  if (version !== 2) throw new AssetError(`The GLB file has version ${version}: expected 2`)
  const declared = view.getUint32(8, true)
  if (declared !== file.byteLength)
    throw new AssetError(`The GLB file is damaged: it declares ${declared} bytes and has ${file.byteLength}`)
  const length = view.getUint32(HEADER_BYTES, true)
  const start = HEADER_BYTES + CHUNK_HEADER_BYTES
  if (view.getUint32(HEADER_BYTES + 4, true) !== JSON_CHUNK || start + length > file.byteLength)
    throw new AssetError('The GLB file is damaged: its first chunk is not a description')
  if (length > MAX_JSON_BYTES)
    throw new AssetError(`The description in the GLB file exceeds ${MAX_JSON_BYTES / 1024 / 1024} MiB`)
  try {
    return JSON.parse(Buffer.from(file.buffer, file.byteOffset + start, length).toString('utf8'))
  } catch {
    throw new AssetError('The GLB file is damaged: its description is not JSON')
  }
}

interface Report {
  issues: { messages: readonly { code: string; message: string; severity: number; pointer?: string }[] }
}
interface Validator {
  validateBytes(bytes: Uint8Array, options: object): Promise<Report>
}

const ERROR = 0
const INFORMATION = 2
/** Inexact values that exporters write and that change no result. */
const INEXACT = [
  'ACCESSOR_VECTOR3_NON_UNIT',
  'ACCESSOR_MIN_MISMATCH',
  'ACCESSOR_MAX_MISMATCH',
  'ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND',
  'ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND',
  'ACCESSOR_WEIGHTS_NON_NORMALIZED',
  'ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION',
]

/** Throws `AssetError` with the first errors of a file that is not a valid glTF. */
export async function validateGlb(file: Uint8Array): Promise<void> {
  // The package has no types, and its ES module reads its main file as CommonJS.
  const validator = createRequire(import.meta.url)('gltf-validator') as Validator
  const { issues } = await validator.validateBytes(file, {
    format: 'glb',
    writeTimestamp: false,
    maxIssues: 100,
    severityOverrides: Object.fromEntries(INEXACT.map((code) => [code, INFORMATION])),
  })
  const errors = issues.messages.filter(({ severity }) => severity === ERROR)
  if (errors.length === 0) return
  const named = errors.slice(0, MAX_REPORTED).map(({ message, pointer }) => `${pointer ?? 'file'}: ${message}`)
  throw new AssetError(`The model is not valid glTF: ${named.join(' ')}`.slice(0, 500))
}
