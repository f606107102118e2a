import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { z } from 'zod'
import type { Box } from '../model/document.ts'
import { networkPlanes, type Raster } from '../ocr/raster.ts'

export const TABLE_LABELS = [
  'table',
  'table column',
  'table row',
  'table column header',
  'table projected row header',
  'table spanning cell',
] as const
export type TableLabel = (typeof TABLE_LABELS)[number]

/** Something that the model sees in a picture of a table. */
export interface TableObject {
  label: TableLabel
  /** 0 to 1. */
  score: number
  /** In fractions of the picture's width and height. */
  box: Box
}

/** The weights exist but cannot be used; the message gives the reason. */
export class TableModelError extends Error {
  override readonly name = 'TableModelError'
}

export interface TableModel {
  /** Its pictures are scaled by this: neither side gets shorter than `shortest` unless the other would get longer than `longest`. */
  readonly size: { shortest: number | null; longest: number }
  /** Rows, columns, headers and spanning cells, surest first. Throws `TableModelError` when the weights are not those of such a model. */
  detect(picture: TablePicture): Promise<TableObject[]>
}

/** Below this score "no object" is more likely. */
const LEAST_SCORE = 0.5
const WEIGHTS = ['model.onnx', 'model_quantized.onnx']
/** The mask may have any size; each of its cells covers an equal part of the picture. */
const MASK_SIDE = 64

const Config = z.looseObject({
  id2label: z.record(z.string(), z.string()).default(Object.fromEntries(TABLE_LABELS.entries())),
})
const Side = z.int().min(32).max(4000)
const Preprocessor = z.looseObject({
  size: z.looseObject({ longest_edge: Side, shortest_edge: Side.optional() }).default({ longest_edge: 1000 }),
})

/**
 * Loads a Table Transformer for structure recognition: `config.json`, `preprocessor_config.json` and `onnx/model.onnx` (or `onnx/model_quantized.onnx`),
 * as its ONNX exports are laid out. Null where the folder has no weights. Throws `TableModelError` for weights that cannot be loaded.
 */
export async function openTableModel(folder: string): Promise<TableModel | null> {
  const file = WEIGHTS.map((name) => join(folder, 'onnx', name)).find(existsSync)
  if (file === undefined) return null
  const labels = await readLabels(join(folder, 'config.json'))
  const { size } = await readJson(join(folder, 'preprocessor_config.json'), Preprocessor)
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: availableParallelism(),
    logSeverityLevel: 4,
  }).catch((error: unknown) => {
    throw new TableModelError('its weights are damaged or not an ONNX model', { cause: error })
  })
  const { inputNames, outputNames } = session
  if (!inputNames.includes('pixel_values') || !outputNames.includes('logits') || !outputNames.includes('pred_boxes'))
    throw new TableModelError('its weights do not take pixel_values and give logits and pred_boxes')
  return {
    size: { shortest: size.shortest_edge ?? null, longest: size.longest_edge },
    async detect({ pixels, width, height }) {
      const feeds: Record<string, Tensor> = { pixel_values: new Tensor('float32', pixels, [1, 3, height, width]) }
      if (inputNames.includes('pixel_mask'))
        feeds['pixel_mask'] = new Tensor('int64', new BigInt64Array(MASK_SIDE ** 2).fill(1n), [1, MASK_SIDE, MASK_SIDE])
      const { logits, pred_boxes: boxes } = await session.run(feeds).catch((error: unknown) => {
        throw new TableModelError('its weights cannot be run on a picture of a table', { cause: error })
      })
      return objectsOf(logits!, boxes!, labels)
    },
  }
}

async function readLabels(path: string): Promise<(TableLabel | null)[]> {
  const { id2label } = await readJson(path, Config)
  const labels = Object.entries(id2label)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, name]) => TABLE_LABELS.find((label) => label === name) ?? null)
  if (labels.includes('table row') && labels.includes('table column')) return labels
  throw new TableModelError('its config.json names no rows and columns: it is not a model of table structure')
}

async function readJson<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
  if (!existsSync(path)) return schema.parse({})
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new TableModelError(`its ${path.split(/[/\\]/).at(-1)} cannot be read`, { cause: error })
  }
}

/** The last class of the logits means "no object"; boxes are centre, width and height. */
function objectsOf(logits: Tensor, boxes: Tensor, labels: readonly (TableLabel | null)[]): TableObject[] {
  const count = logits.dims[1] ?? 0
  const classes = labels.length + 1
  const fits = (tensor: Tensor, last: number): boolean =>
    tensor.type === 'float32' && tensor.dims.length === 3 && tensor.dims[1] === count && tensor.dims[2] === last
  if (!fits(logits, classes) || !fits(boxes, 4))
    throw new TableModelError(
      `its weights give logits [${logits.dims.join(', ')}] and boxes [${boxes.dims.join(', ')}] for ${labels.length} kinds of object`,
    )
  const scores = logits.data as Float32Array
  const places = boxes.data as Float32Array
  return Array.from({ length: count }, (_, index): TableObject | null => {
    const own = softmax(scores.subarray(index * classes, (index + 1) * classes))
    const best = own.indexOf(Math.max(...own.subarray(0, labels.length)))
    const label = labels[best] ?? null
    const [x, y, width, height] = places.subarray(index * 4, index * 4 + 4) as unknown as [
      number,
      number,
      number,
      number,
    ]
    const box = { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 }
    const isSure = own[best]! >= LEAST_SCORE && Object.values(box).every(Number.isFinite)
    return label === null || !isSure ? null : { label, score: own[best]!, box }
  })
    .filter((object) => object !== null)
    .sort((a, b) => b.score - a.score)
}

function softmax(values: Float32Array): Float32Array {
  const most = Math.max(...values)
  const powers = values.map((value) => Math.exp(value - most))
  const sum = powers.reduce((total, value) => total + value, 0)
  return powers.map((value) => value / sum)
}

/** A part of a page as the model takes it: three planes of numbers, row by row. */
export interface TablePicture {
  pixels: Float32Array
  width: number
  height: number
}

/** Cuts a part (in points) out of a page and scales it as the model wants it. */
export async function tablePicture(raster: Raster, part: Box, size: TableModel['size']): Promise<TablePicture> {
  const scale = raster.width / raster.widthPt
  const left = Math.max(0, Math.floor(part.left * scale))
  const top = Math.max(0, Math.floor(part.top * scale))
  const cut = {
    left,
    top,
    width: Math.max(1, Math.min(raster.width, Math.ceil(part.right * scale)) - left),
    height: Math.max(1, Math.min(raster.height, Math.ceil(part.bottom * scale)) - top),
  }
  const target = scaled(cut, size)
  const { data, info } = await sharp(raster.pixels, {
    raw: { width: raster.width, height: raster.height, channels: 1 },
  })
    .extract(cut)
    .resize({ ...target, fit: 'fill', kernel: 'linear' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { pixels: networkPlanes(data), width: info.width, height: info.height }
}

function scaled({ width, height }: { width: number; height: number }, { shortest, longest }: TableModel['size']) {
  const most = longest / Math.max(width, height)
  const factor = shortest === null ? most : Math.min(most, shortest / Math.min(width, height))
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}
