import {
  float,
  int64,
  ints,
  onnxFile,
  type Dimension,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from './onnx-file.ts'

export interface TinyDecoder {
  /** States how many tokens there are. */
  vocabulary: number
  end: number
  /** Holds what follows each token; nothing after any of them is the end, where the sound is silent. */
  following: ReadonlyMap<number, number>
  frames: Dimension
  /** Makes `strength` of `encoder_hidden_states`: 0 for silence, 1 or more for sound. */
  hearing: OnnxNode[]
  /** Holds what only this one has. */
  more?: Partial<Pick<OnnxGraph, 'outputs' | 'constants' | 'nodes'>>
}

/** A table with a row for each token. */
export const tokenTable = (
  name: string,
  rows: number,
  width: number,
  cell: (row: number, column: number) => number,
): OnnxTensor => ({
  name,
  dims: [rows, width],
  values: Float32Array.from({ length: rows * width }, (_, at) => cell(Math.floor(at / width), at % width)),
})

/** A token of a tokenizer file that has no text. */
export const specialToken = (content: string, id: number) => ({
  id,
  content,
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
})

/** A merged decoder of one layer: what it outputs next follows from its last token alone; its caches have the real ones' shapes. */
export function tinyDecoder({ vocabulary, end, following, frames, hearing, more = {} }: TinyDecoder): Buffer {
  const cache = (name: string, length: string): OnnxValue => float(name, ['batch', 1, length, 1])
  const past = (part: string) =>
    ['key', 'value'].map((half) => cache(`past_key_values.0.${part}.${half}`, `${part} past`))
  const present = (part: string) => ['key', 'value'].map((half) => cache(`present.0.${part}.${half}`, `${part} total`))
  return onnxFile({
    inputs: [
      int64('input_ids', ['batch', 'length']),
      float('encoder_hidden_states', ['batch', frames, 1]),
      ...past('decoder'),
      ...past('encoder'),
    ],
    outputs: [
      float('logits', ['batch', 'length', vocabulary]),
      ...present('decoder'),
      ...present('encoder'),
      ...(more.outputs ?? []),
    ],
    constants: [
      tokenTable('following', vocabulary, vocabulary, (row, column) => (following.get(row) === column ? 30 : 0)),
      {
        name: 'end',
        dims: [vocabulary],
        values: Float32Array.from({ length: vocabulary }, (_, id) => (id === end ? 15 : 0)),
      },
      tokenTable('keys', vocabulary, 1, () => 0),
      ints('head', [1]),
      ...(more.constants ?? []),
    ],
    nodes: [
      ...hearing,
      { op: 'Gather', inputs: ['following', 'input_ids'], outputs: ['next'] },
      { op: 'Mul', inputs: ['next', 'strength'], outputs: ['said'] },
      { op: 'Add', inputs: ['said', 'end'], outputs: ['logits'] },
      { op: 'Gather', inputs: ['keys', 'input_ids'], outputs: ['flat'] },
      { op: 'Unsqueeze', inputs: ['flat', 'head'], outputs: ['step'] },
      ...['key', 'value'].flatMap((half) => [
        {
          op: 'Concat',
          inputs: [`past_key_values.0.decoder.${half}`, 'step'],
          outputs: [`present.0.decoder.${half}`],
          ints: { axis: 2 },
        },
        { op: 'Unsqueeze', inputs: ['encoder_hidden_states', 'head'], outputs: [`present.0.encoder.${half}`] },
      ]),
      ...(more.nodes ?? []),
    ],
  })
}
