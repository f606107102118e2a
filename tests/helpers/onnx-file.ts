/** Just enough of the ONNX protobuf (onnx.proto3) to write small graphs for tests. */

const FLOAT = 1
const INT32 = 6
const INT64 = 7
const TYPES = { float: FLOAT, int32: INT32, int64: INT64 }

/** A dimension: a size, or a name for one that is known at run time only. */
export type Dimension = number | string

export interface OnnxTensor {
  name: string
  dims: number[]
  values: Float32Array | BigInt64Array
}

export interface OnnxNode {
  op: string
  inputs: string[]
  outputs: string[]
  /** Integer attributes, such as an axis. */
  ints?: Record<string, number>
  intLists?: Record<string, number[]>
}

export interface OnnxValue {
  name: string
  type: keyof typeof TYPES
  dims: Dimension[]
}

export interface OnnxGraph {
  inputs: OnnxValue[]
  outputs: OnnxValue[]
  constants: OnnxTensor[]
  nodes: OnnxNode[]
  /** Facts that a runtime's user reads beside the graph. */
  metadata?: Record<string, string>
}

/** An input or output of numbers. */
export const float = (name: string, dims: Dimension[]): OnnxValue => ({ name, type: 'float', dims })
export const int64 = (name: string, dims: Dimension[]): OnnxValue => ({ name, type: 'int64', dims })

/** A constant of numbers: a list unless dimensions are named. */
export const floats = (name: string, values: number[], dims = [values.length]): OnnxTensor => ({
  name,
  dims,
  values: Float32Array.from(values),
})
export const ints = (name: string, values: number[], dims = [values.length]): OnnxTensor => ({
  name,
  dims,
  values: BigInt64Array.from(values, BigInt),
})

/** Reduces one axis, or all of them to one number. */
export const reduced = (
  op: 'ReduceMax' | 'ReduceMean',
  from: string,
  to: string,
  axis?: number,
  keepdims = 0,
): OnnxNode => ({
  op,
  inputs: [from],
  outputs: [to],
  ...(axis === undefined ? {} : { intLists: { axes: [axis] } }),
  ints: { keepdims },
})

/** The bytes of a model file with this graph, operator set 17. */
export function onnxFile(graph: OnnxGraph): Buffer {
  return Buffer.concat([
    varintField(1, 8),
    message(7, [
      ...graph.nodes.map((node) => message(1, nodeFields(node))),
      text(2, 'graph'),
      ...graph.constants.map((tensor) => message(5, tensorFields(tensor))),
      ...graph.inputs.map((value) => message(11, valueFields(value))),
      ...graph.outputs.map((value) => message(12, valueFields(value))),
    ]),
    message(8, [varintField(2, 17)]),
    ...Object.entries(graph.metadata ?? {}).map(([key, value]) => message(14, [text(1, key), text(2, value)])),
  ])
}

function nodeFields(node: OnnxNode): Buffer[] {
  return [
    ...node.inputs.map((name) => text(1, name)),
    ...node.outputs.map((name) => text(2, name)),
    text(4, node.op),
    ...Object.entries(node.ints ?? {}).map(([name, value]) =>
      message(5, [text(1, name), varintField(3, value), varintField(20, 2)]),
    ),
    ...Object.entries(node.intLists ?? {}).map(([name, values]) =>
      message(5, [text(1, name), ...values.map((value) => varintField(8, value)), varintField(20, 7)]),
    ),
  ]
}

function tensorFields(tensor: OnnxTensor): Buffer[] {
  const { values } = tensor
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  return [
    ...tensor.dims.map((size) => varintField(1, size)),
    varintField(2, values instanceof Float32Array ? FLOAT : INT64),
    text(8, tensor.name),
    bytes(9, raw),
  ]
}

function valueFields(value: OnnxValue): Buffer[] {
  const dims = value.dims.map((dim) => message(1, [typeof dim === 'number' ? varintField(1, dim) : text(2, dim)]))
  const tensorType = [varintField(1, TYPES[value.type]), message(2, dims)]
  return [text(1, value.name), message(2, [message(1, tensorType)])]
}

function varint(value: number): Buffer {
  const out: number[] = []
  let rest = value
  while (rest > 127) {
    out.push((rest & 127) | 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...out, rest])
}

const varintField = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)])
const bytes = (field: number, value: Buffer): Buffer =>
  Buffer.concat([varint((field << 3) | 2), varint(value.length), value])
const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value))
const message = (field: number, parts: Buffer[]): Buffer => bytes(field, Buffer.concat(parts))
