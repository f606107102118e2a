/**
 * Writes the ONNX files of a Whisper model from weights in the format of CTranslate2, which no engine here reads: the numbers are the real
 * ones (16 bits, stored as 32), the graphs are written here with the inputs and outputs of the files that the product downloads.
 *
 * CTranslate2's `model.bin`: version, name, revision, then one record for each tensor (name, shape, type, bytes). Query, key and value of
 * self-attention are one matrix, and so are key and value of cross-attention. Matrices are stored as output × input.
 *
 * The decoder has one branch: keys and values of the sound are computed for the frames that its cache does not have, which is all of them in
 * the first step and none later.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onnxFile } from '../helpers/onnx-file.ts'
import type { OnnxNode, OnnxTensor, OnnxValue } from '../helpers/onnx-file.ts'

interface Weights {
  dims: number[]
  values: Float32Array
}

const FRAMES = 1500
const HEAD_SIZE = 64
const HALF_TYPE = 4

/** Writes a folder that the `onnx` speech backend reads, from `model.bin`, `config.json` and `tokenizer.json` of an English-only Whisper. */
export async function writeWhisper(source: string, folder: string): Promise<void> {
  const weights = readTensors(await readFile(join(source, 'model.bin')))
  const { alignment_heads, suppress_ids, suppress_ids_begin } = JSON.parse(
    await readFile(join(source, 'config.json'), 'utf8'),
  ) as { alignment_heads: number[][]; suppress_ids: number[]; suppress_ids_begin: number[] }
  const [vocabulary, width] = weights.get('decoder/embeddings/weight')!.dims as [number, number]
  const layers = layersOf(weights, 'decoder')
  const tokens = { decoder_start_token_id: 50_257, eos_token_id: 50_256, pad_token_id: 50_256 }
  const files = {
    config: {
      model_type: 'whisper',
      architectures: ['WhisperForConditionalGeneration'],
      is_encoder_decoder: true,
      vocab_size: vocabulary,
      d_model: width,
      encoder_layers: layersOf(weights, 'encoder'),
      encoder_attention_heads: width / HEAD_SIZE,
      decoder_layers: layers,
      decoder_attention_heads: width / HEAD_SIZE,
      num_mel_bins: 80,
      max_source_positions: FRAMES,
      max_target_positions: 448,
      median_filter_width: 7,
      ...tokens,
    },
    generation_config: {
      alignment_heads,
      suppress_tokens: suppress_ids,
      begin_suppress_tokens: suppress_ids_begin,
      is_multilingual: false,
      no_timestamps_token_id: 50_362,
      max_initial_timestamp_index: 50,
      max_length: 448,
      ...tokens,
    },
    preprocessor_config: {
      feature_extractor_type: 'WhisperFeatureExtractor',
      processor_class: 'WhisperProcessor',
      feature_size: 80,
      sampling_rate: 16_000,
      hop_length: 160,
      n_fft: 400,
      chunk_length: 30,
      n_samples: 480_000,
      nb_max_frames: 3000,
    },
    tokenizer_config: { tokenizer_class: 'WhisperTokenizer', eos_token: '<|endoftext|>', unk_token: '<|endoftext|>' },
    tokenizer: JSON.parse(await readFile(join(source, 'tokenizer.json'), 'utf8')) as unknown,
  }
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'encoder_model_quantized.onnx'), encoder(weights))
  await writeFile(join(folder, 'onnx', 'decoder_model_merged_quantized.onnx'), decoder(weights))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(content))
}

function readTensors(file: Buffer): Map<string, Weights> {
  let at = 4
  const number = (size: number): number => {
    const value = file.readUIntLE(at, size)
    at += size
    return value
  }
  const text = (): string => {
    const length = number(2)
    at += length
    return file.toString('utf8', at - length, at - 1)
  }
  if (text() !== 'WhisperSpec') throw new Error('model.bin is not a Whisper model of CTranslate2')
  number(4)
  const tensors = new Map<string, Weights>()
  for (let left = number(4); left > 0; left--) {
    const name = text()
    const dims = Array.from({ length: number(1) }, () => number(4))
    const type = number(1)
    const bytes = number(4)
    if (type === HALF_TYPE) {
      // A copy, because the offset in the file may be odd.
      const halves = new Float16Array(Uint8Array.from(file.subarray(at, at + bytes)).buffer)
      tensors.set(name, { dims, values: Float32Array.from(halves) })
    }
    at += bytes
  }
  return tensors
}

const layersOf = (weights: ReadonlyMap<string, Weights>, part: string): number =>
  [...weights.keys()].filter((name) => name.startsWith(part) && name.endsWith('/ffn/linear_0/bias')).length

/** Nodes and constants of one graph. Each method adds an operation and returns the name of its result. */
class Graph {
  readonly nodes: OnnxNode[] = []
  readonly constants: OnnxTensor[] = []
  readonly #weights: ReadonlyMap<string, Weights>
  readonly width: number

  constructor(weights: ReadonlyMap<string, Weights>) {
    this.#weights = weights
    this.width = weights.get('encoder/layer_norm/beta')!.dims[0]!
  }

  op(op: string, inputs: string[], attributes: Pick<OnnxNode, 'ints' | 'intLists'> = {}, output?: string): string {
    const name = output ?? `n${this.nodes.length}`
    this.nodes.push({ op, inputs, outputs: [name], ...attributes })
    return name
  }

  /** An operation with several results of one size. */
  split(input: string, count: number): string[] {
    const outputs = Array.from({ length: count }, (_, i) => `n${this.nodes.length}.${i}`)
    this.nodes.push({ op: 'Split', inputs: [input], outputs, ints: { axis: 2 } })
    return outputs
  }

  #constant(name: string, dims: number[], values: OnnxTensor['values']): string {
    if (!this.constants.some((known) => known.name === name)) this.constants.push({ name, dims, values })
    return name
  }

  float(value: number): string {
    return this.#constant(`float ${value}`, [], Float32Array.of(value))
  }

  ints(...values: number[]): string {
    return this.#constant(`ints ${values.join(' ')}`, [values.length], BigInt64Array.from(values, BigInt))
  }

  weight(name: string): string {
    const { dims, values } = this.#weights.get(name)!
    return this.#constant(name, dims, values)
  }

  /** A stored matrix as input × output. */
  turned(name: string): string {
    const { dims, values } = this.#weights.get(name)!
    const [rows, columns] = dims as [number, number]
    const turned = new Float32Array(values.length)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column]!
    return this.#constant(`${name}, turned`, [columns, rows], turned)
  }

  linear(x: string, name: string): string {
    return this.op('Add', [this.op('MatMul', [x, this.turned(`${name}/weight`)]), this.weight(`${name}/bias`)])
  }

  norm(x: string, name: string, output?: string): string {
    const inputs = [x, this.weight(`${name}/gamma`), this.weight(`${name}/beta`)]
    return this.op('LayerNormalization', inputs, {}, output)
  }

  gelu(x: string): string {
    const error = this.op('Erf', [this.op('Mul', [x, this.float(Math.SQRT1_2)])])
    return this.op('Mul', [this.op('Mul', [x, this.float(0.5)]), this.op('Add', [error, this.float(1)])])
  }

  /** Batch × length × width to batch × heads × length × size of a head. */
  heads(x: string): string {
    const apart = this.op('Reshape', [x, this.ints(0, -1, this.width / HEAD_SIZE, HEAD_SIZE)])
    return this.op('Transpose', [apart], { intLists: { perm: [0, 2, 1, 3] } })
  }

  /** Returns what each query takes from the values, and how much of each. */
  attend(query: string, key: string, value: string, mask: string | null, looks?: string): string {
    const turned = this.op('Transpose', [key], { intLists: { perm: [0, 1, 3, 2] } })
    const near = this.op('Mul', [this.op('MatMul', [query, turned]), this.float(HEAD_SIZE ** -0.5)])
    const shares = this.op('Softmax', [mask === null ? near : this.op('Add', [near, mask])], {}, looks)
    const taken = this.op('Transpose', [this.op('MatMul', [shares, value])], { intLists: { perm: [0, 2, 1, 3] } })
    return this.op('Reshape', [taken, this.ints(0, -1, this.width)])
  }

  feedForward(x: string, name: string): string {
    const hidden = this.gelu(this.linear(this.norm(x, `${name}/layer_norm`), `${name}/linear_0`))
    return this.op('Add', [x, this.linear(hidden, `${name}/linear_1`)])
  }
}

function encoder(weights: ReadonlyMap<string, Weights>): Buffer {
  const graph = new Graph(weights)
  const convolve = (x: string, name: string, stride: number): string => {
    const inputs = [x, graph.weight(`${name}/weight`), graph.weight(`${name}/bias`)]
    return graph.gelu(graph.op('Conv', inputs, { intLists: { kernel_shape: [3], strides: [stride], pads: [1, 1] } }))
  }
  const frames = convolve(convolve('input_features', 'encoder/conv1', 1), 'encoder/conv2', 2)
  const turned = graph.op('Transpose', [frames], { intLists: { perm: [0, 2, 1] } })
  let x = graph.op('Add', [turned, graph.weight('encoder/position_encodings/encodings')])
  for (let i = 0; i < layersOf(weights, 'encoder'); i++) {
    const name = `encoder/layer_${i}`
    const attention = `${name}/self_attention`
    const parts = graph.split(graph.linear(graph.norm(x, `${attention}/layer_norm`), `${attention}/linear_0`), 3)
    const [query, key, value] = parts.map((part) => graph.heads(part)) as [string, string, string]
    x = graph.op('Add', [x, graph.linear(graph.attend(query, key, value, null), `${attention}/linear_1`)])
    x = graph.feedForward(x, `${name}/ffn`)
  }
  graph.norm(x, 'encoder/layer_norm', 'last_hidden_state')
  return onnxFile({
    inputs: [{ name: 'input_features', type: 'float', dims: ['batch', 80, 2 * FRAMES] }],
    outputs: [{ name: 'last_hidden_state', type: 'float', dims: ['batch', FRAMES, graph.width] }],
    constants: graph.constants,
    nodes: graph.nodes,
  })
}

function decoder(weights: ReadonlyMap<string, Weights>): Buffer {
  const graph = new Graph(weights)
  const { width } = graph
  const count = layersOf(weights, 'decoder')
  const heads = width / HEAD_SIZE
  const vocabulary = weights.get('decoder/embeddings/weight')!.dims[0]!
  const cache = (name: string, length: string): OnnxValue => ({
    name,
    type: 'float',
    dims: ['batch', heads, length, HEAD_SIZE],
  })
  const caches = (kind: string, length: string): OnnxValue[] =>
    Array.from({ length: count }, (_, i) =>
      ['decoder', 'encoder'].flatMap((part) =>
        ['key', 'value'].map((half) => cache(`${kind}.${i}.${part}.${half}`, `${part} ${length}`)),
      ),
    ).flat()
  const sizeOf = (x: string, axis: number): string =>
    graph.op('Gather', [graph.op('Shape', [x]), graph.ints(axis)], { ints: { axis: 0 } })

  const pastLength = sizeOf('past_key_values.0.decoder.key', 2)
  const length = sizeOf('input_ids', 1)
  const total = graph.op('Add', [pastLength, length])
  const blocked = graph.op('Expand', [graph.float(-1e9), graph.op('Concat', [length, total], { ints: { axis: 0 } })])
  const first = graph.op('Squeeze', [graph.op('Add', [pastLength, graph.ints(1)])])
  const mask = graph.op('Trilu', [blocked, first])
  const embeddings = graph.turned('decoder/embeddings/weight')
  const columns = graph.op('Gather', [embeddings, 'input_ids'], { ints: { axis: 1 } })
  const positions = graph.weight('decoder/position_encodings/encodings')
  let x = graph.op('Add', [
    graph.op('Transpose', [columns], { intLists: { perm: [1, 2, 0] } }),
    graph.op('Slice', [positions, pastLength, total, graph.ints(0)]),
  ])
  const known = sizeOf('past_key_values.0.encoder.key', 2)
  const newFrames = graph.op('Slice', ['encoder_hidden_states', known, graph.ints(FRAMES), graph.ints(1)])
  const extended = (i: number, part: string, half: string, more: string): string =>
    graph.op(
      'Concat',
      [`past_key_values.${i}.${part}.${half}`, graph.heads(more)],
      { ints: { axis: 2 } },
      `present.${i}.${part}.${half}`,
    )
  for (let i = 0; i < count; i++) {
    const name = `decoder/layer_${i}`
    const self = `${name}/self_attention`
    const parts = graph.split(graph.linear(graph.norm(x, `${self}/layer_norm`), `${self}/linear_0`), 3)
    const [query, ownKey, ownValue] = parts as [string, string, string]
    const key = extended(i, 'decoder', 'key', ownKey)
    const value = extended(i, 'decoder', 'value', ownValue)
    x = graph.op('Add', [x, graph.linear(graph.attend(graph.heads(query), key, value, mask), `${self}/linear_1`)])

    const cross = `${name}/attention`
    const asked = graph.heads(graph.linear(graph.norm(x, `${cross}/layer_norm`), `${cross}/linear_0`))
    const [soundKey, soundValue] = graph.split(graph.linear(newFrames, `${cross}/linear_1`), 2) as [string, string]
    const taken = graph.attend(
      asked,
      extended(i, 'encoder', 'key', soundKey),
      extended(i, 'encoder', 'value', soundValue),
      null,
      `cross_attentions.${i}`,
    )
    x = graph.op('Add', [x, graph.linear(taken, `${cross}/linear_2`)])
    x = graph.feedForward(x, `${name}/ffn`)
  }
  graph.op('MatMul', [graph.norm(x, 'decoder/layer_norm'), embeddings], {}, 'logits')
  return onnxFile({
    inputs: [
      { name: 'input_ids', type: 'int64', dims: ['batch', 'length'] },
      { name: 'encoder_hidden_states', type: 'float', dims: ['batch', FRAMES, width] },
      ...caches('past_key_values', 'past'),
    ],
    outputs: [
      { name: 'logits', type: 'float', dims: ['batch', 'length', vocabulary] },
      ...caches('present', 'total'),
      ...Array.from({ length: count }, (_, i): OnnxValue => ({
        name: `cross_attentions.${i}`,
        type: 'float',
        dims: ['batch', heads, 'length', FRAMES],
      })),
    ],
    constants: graph.constants,
    nodes: graph.nodes,
  })
}
