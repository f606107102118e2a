import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TABLE_LABELS, type TableObject } from '../../../providers/converter/tables/table-model.ts'
import { onnxFile, type OnnxGraph } from '../onnx-file.ts'

type Seen = Pick<TableObject, 'label' | 'box'>

export interface TinyTableModel {
  objects: readonly Seen[]
  /** Kinds of object that the network distinguishes, besides "no object"; six when absent. */
  kinds?: number
  /** True when it takes a mask beside the picture, as the published exports do. */
  takesMask?: boolean
}

/**
 * Writes a model folder whose network has the inputs and outputs of a Table Transformer: it sees the given objects in any picture that has dark and
 * light in it, and nothing in a blank one.
 */
export async function writeTableModel(folder: string, model: TinyTableModel): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'model.onnx'), onnxFile(graphOf(model)))
  await writeFile(join(folder, 'config.json'), JSON.stringify({ id2label: Object.fromEntries(TABLE_LABELS.entries()) }))
  await writeFile(
    join(folder, 'preprocessor_config.json'),
    JSON.stringify({ size: { longest_edge: 200, shortest_edge: 160 } }),
  )
}

function graphOf({ objects, kinds = TABLE_LABELS.length, takesMask = true }: TinyTableModel): OnnxGraph {
  // One object more than is seen: the last class means that there is nothing.
  const logits = [...objects, null].flatMap((object) =>
    Array.from({ length: kinds + 1 }, (_, kind) =>
      kind === (object === null ? kinds : TABLE_LABELS.indexOf(object.label)) ? 2 : 0,
    ),
  )
  const boxes = [...objects.map(({ box }) => box), { left: 0, top: 0, right: 1, bottom: 1 }].flatMap(
    ({ left, top, right, bottom }) => [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top],
  )
  const count = objects.length + 1
  const whole = { keepdims: 0 }
  return {
    inputs: [
      { name: 'pixel_values', type: 'float', dims: [1, 3, 'height', 'width'] },
      ...(takesMask ? [{ name: 'pixel_mask', type: 'int64' as const, dims: [1, 64, 64] }] : []),
    ],
    outputs: [
      { name: 'logits', type: 'float', dims: [1, count, kinds + 1] },
      { name: 'pred_boxes', type: 'float', dims: [1, count, 4] },
    ],
    constants: [
      { name: 'kinds', dims: [1, count, kinds + 1], values: Float32Array.from(logits) },
      { name: 'boxes', dims: [1, count, 4], values: Float32Array.from(boxes) },
    ],
    nodes: [
      { op: 'ReduceMax', inputs: ['pixel_values'], outputs: ['lightest'], ints: whole },
      { op: 'ReduceMin', inputs: ['pixel_values'], outputs: ['darkest'], ints: whole },
      { op: 'Sub', inputs: ['lightest', 'darkest'], outputs: ['contrast'] },
      { op: 'Mul', inputs: ['kinds', 'contrast'], outputs: ['logits'] },
      { op: 'Identity', inputs: ['boxes'], outputs: ['pred_boxes'] },
    ],
  }
}

/** Rows and columns of equal size over the whole picture but its margin. */
export function evenGrid(rows: number, columns: number, margin = 0.02): Seen[] {
  const side = (index: number, of: number): number => margin + ((1 - 2 * margin) * index) / of
  return [
    ...Array.from({ length: rows }, (_, row) => ({
      label: 'table row' as const,
      box: { left: margin, right: 1 - margin, top: side(row, rows), bottom: side(row + 1, rows) },
    })),
    ...Array.from({ length: columns }, (_, column) => ({
      label: 'table column' as const,
      box: { left: side(column, columns), right: side(column + 1, columns), top: margin, bottom: 1 - margin },
    })),
  ]
}
