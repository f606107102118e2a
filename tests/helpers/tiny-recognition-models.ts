import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onnxFile, type OnnxTensor } from './onnx-file.ts'

/** Samples of one frame of the tiny models: 80 ms. */
export const FRAME_SAMPLES = 1280

/** Pieces that the tiny models know; each is encoded by a frame of loudness (its position + 1) / 10, silence by none. */
export const TINY_PIECES = ['▁salt', '▁sea', 'food', '▁red']

/** A sound that encodes those pieces for a tiny model, one after the other, each as many frames long as asked; null is silence. */
export function tinySpeech(parts: readonly (readonly [piece: string | null, frames: number])[]): Float32Array {
  const frames = parts.reduce((sum, [, count]) => sum + count, 0)
  const samples = new Float32Array(frames * FRAME_SAMPLES)
  let at = 0
  for (const [piece, count] of parts) {
    const end = at + count * FRAME_SAMPLES
    samples.fill(piece === null ? 0 : (TINY_PIECES.indexOf(piece) + 1) / 10, at, end)
    at = end
  }
  return samples
}

const numbers = (name: string, values: number[], dims = [values.length]): OnnxTensor => ({
  name,
  dims,
  values: Float32Array.from(values),
})
const integers = (name: string, values: number[]): OnnxTensor => ({
  name,
  dims: [values.length],
  values: BigInt64Array.from(values, BigInt),
})
/** Loudness of each piece, times ten; the blank comes last and is silence. */
const LEVELS = [...TINY_PIECES.map((_, i) => i + 1), 0]

/**
 * A token-and-duration transducer with the files and graphs of the real ones. It outputs a piece once, however long it sounds, stays at the
 * frame then, and goes on by one with the blank. After four pieces it falls silent: so its state is seen to be handed on. A slow one needs
 * milliseconds of arithmetic for each step.
 */
export async function writeTinyTransducer(folder: string, { isSlow = false } = {}): Promise<void> {
  await mkdir(folder, { recursive: true })
  const vocabulary = [...TINY_PIECES, '<blk>'].map((piece, id) => `${piece} ${id}\n`).join('')
  await writeFile(join(folder, 'vocab.txt'), vocabulary)
  await writeFile(join(folder, 'nemo128.onnx'), preprocessor())
  await writeFile(join(folder, 'encoder-model.int8.onnx'), encoder())
  await writeFile(join(folder, 'decoder_joint-model.int8.onnx'), decoder(isSlow ? 512 : 1))
}

function preprocessor(): Buffer {
  return onnxFile({
    inputs: [
      { name: 'waveforms', type: 'float', dims: ['batch', 'samples'] },
      { name: 'waveforms_lens', type: 'int64', dims: ['batch'] },
    ],
    outputs: [
      { name: 'features', type: 'float', dims: ['batch', 1, 'frames'] },
      { name: 'features_lens', type: 'int64', dims: ['batch'] },
    ],
    constants: [integers('frames', [1, 1, -1, FRAME_SAMPLES]), integers('size', [FRAME_SAMPLES])],
    nodes: [
      { op: 'Reshape', inputs: ['waveforms', 'frames'], outputs: ['framed'] },
      { op: 'ReduceMax', inputs: ['framed'], outputs: ['features'], intLists: { axes: [3] }, ints: { keepdims: 0 } },
      { op: 'Div', inputs: ['waveforms_lens', 'size'], outputs: ['features_lens'] },
    ],
  })
}

function encoder(): Buffer {
  return onnxFile({
    inputs: [
      { name: 'audio_signal', type: 'float', dims: ['batch', 1, 'frames'] },
      { name: 'length', type: 'int64', dims: ['batch'] },
    ],
    outputs: [
      { name: 'outputs', type: 'float', dims: ['batch', 1, 'frames'] },
      { name: 'encoded_lengths', type: 'int64', dims: ['batch'] },
    ],
    constants: [numbers('ten', [10])],
    nodes: [
      { op: 'Mul', inputs: ['audio_signal', 'ten'], outputs: ['outputs'] },
      { op: 'Identity', inputs: ['length'], outputs: ['encoded_lengths'] },
    ],
  })
}

/** `width`: of the matrices that are multiplied at each step, to no effect. */
function decoder(width: number): Buffer {
  const state = (name: string) => ({ name, type: 'float' as const, dims: [2, 'batch', 1] })
  return onnxFile({
    inputs: [
      { name: 'encoder_outputs', type: 'float', dims: ['batch', 1, 1] },
      { name: 'targets', type: 'int32', dims: ['batch', 1] },
      { name: 'target_length', type: 'int32', dims: ['batch'] },
      state('input_states_1'),
      state('input_states_2'),
    ],
    outputs: [
      { name: 'outputs', type: 'float', dims: ['batch', 1, 1, LEVELS.length + 3] },
      { name: 'prednet_lengths', type: 'int32', dims: ['batch'] },
      state('output_states_1'),
      state('output_states_2'),
    ],
    constants: [
      numbers('levels', LEVELS),
      numbers('blank', [...TINY_PIECES.map(() => 0), 1]),
      numbers('one', [1]),
      numbers('half', [0.5]),
      numbers('most', [3.5]),
      numbers('much', [1000]),
      numbers('by one and by two', [0.5, -1]),
      numbers('matrix', new Array<number>(width * width).fill(1 / width), [width, width]),
      numbers('none', [0]),
      integers('flat', [-1]),
      integers('first', [0]),
      integers('scored', [1, 1, 1, -1]),
    ],
    nodes: [
      { op: 'Reshape', inputs: ['encoder_outputs', 'flat'], outputs: ['heard'] },
      { op: 'Sub', inputs: ['heard', 'levels'], outputs: ['off'] },
      { op: 'Abs', inputs: ['off'], outputs: ['distance'] },
      { op: 'Neg', inputs: ['distance'], outputs: ['likeness'] },
      // This is how far the last piece is from the sound: below a half, it still sounds.
      { op: 'Reshape', inputs: ['targets', 'flat'], outputs: ['last'] },
      { op: 'Gather', inputs: ['distance', 'last'], outputs: ['change'] },
      { op: 'Sub', inputs: ['half', 'change'], outputs: ['sameness'] },
      { op: 'Relu', inputs: ['sameness'], outputs: ['same'] },
      { op: 'Reshape', inputs: ['input_states_1', 'flat'], outputs: ['states'] },
      { op: 'Gather', inputs: ['states', 'first'], outputs: ['said'] },
      { op: 'Sub', inputs: ['said', 'most'], outputs: ['beyond'] },
      { op: 'Relu', inputs: ['beyond'], outputs: ['over'] },
      { op: 'Add', inputs: ['same', 'over'], outputs: ['quiet'] },
      { op: 'Mul', inputs: ['quiet', 'much'], outputs: ['pressure'] },
      { op: 'Mul', inputs: ['pressure', 'blank'], outputs: ['hush'] },
      { op: 'Mul', inputs: ['heard', 'matrix'], outputs: ['factor'] },
      { op: 'MatMul', inputs: ['factor', 'matrix'], outputs: ['product'] },
      { op: 'MatMul', inputs: ['product', 'matrix'], outputs: ['power'] },
      { op: 'ReduceMax', inputs: ['power'], outputs: ['result'], ints: { keepdims: 0 } },
      { op: 'Mul', inputs: ['result', 'none'], outputs: ['nothing'] },
      { op: 'Add', inputs: ['likeness', 'hush'], outputs: ['opinion'] },
      { op: 'Add', inputs: ['opinion', 'nothing'], outputs: ['scores'] },
      { op: 'Concat', inputs: ['scores', 'change', 'by one and by two'], outputs: ['all'], ints: { axis: 0 } },
      { op: 'Reshape', inputs: ['all', 'scored'], outputs: ['outputs'] },
      { op: 'Identity', inputs: ['target_length'], outputs: ['prednet_lengths'] },
      { op: 'Add', inputs: ['input_states_1', 'one'], outputs: ['output_states_1'] },
      { op: 'Identity', inputs: ['input_states_2'], outputs: ['output_states_2'] },
    ],
  })
}

/** A CTC model as sherpa-onnx reads those of NeMo: it asks for features of its own making and for facts of the model in its metadata. */
export async function writeTinyCtc(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const pieces = [...TINY_PIECES, '<blk>']
  await writeFile(join(folder, 'tokens.txt'), pieces.map((piece, id) => `${piece} ${id}\n`).join(''))
  await writeFile(
    join(folder, 'model.onnx'),
    onnxFile({
      inputs: [
        { name: 'audio_signal', type: 'float', dims: ['batch', 80, 'frames'] },
        { name: 'length', type: 'int64', dims: ['batch'] },
      ],
      outputs: [{ name: 'logprobs', type: 'float', dims: ['batch', 'frames', pieces.length] }],
      constants: [
        // Silence is far below every sound in a logarithm; any sound gives the first piece.
        numbers('floor', [-13]),
        numbers('pieces', [1, 0, 0, 0, -1]),
        integers('last', [-1]),
      ],
      nodes: [
        {
          op: 'ReduceMax',
          inputs: ['audio_signal'],
          outputs: ['loudest'],
          intLists: { axes: [1] },
          ints: { keepdims: 0 },
        },
        { op: 'Sub', inputs: ['loudest', 'floor'], outputs: ['above'] },
        { op: 'Unsqueeze', inputs: ['above', 'last'], outputs: ['column'] },
        { op: 'Mul', inputs: ['column', 'pieces'], outputs: ['logprobs'] },
      ],
      metadata: {
        model_type: 'EncDecCTCModelBPE',
        vocab_size: String(pieces.length),
        subsampling_factor: '1',
        normalize_type: '',
        is_giga_am: '0',
      },
    }),
  )
}
