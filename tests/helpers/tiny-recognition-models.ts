import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { float, floats, int64, ints, onnxFile, reduced } from './onnx-file.ts'

/** Samples of one frame of the tiny models: 80 ms. */
const FRAME_SAMPLES = 1280

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
    inputs: [float('waveforms', ['batch', 'samples']), int64('waveforms_lens', ['batch'])],
    outputs: [float('features', ['batch', 1, 'frames']), int64('features_lens', ['batch'])],
    constants: [ints('frames', [1, 1, -1, FRAME_SAMPLES]), ints('size', [FRAME_SAMPLES])],
    nodes: [
      { op: 'Reshape', inputs: ['waveforms', 'frames'], outputs: ['framed'] },
      reduced('ReduceMax', 'framed', 'features', 3),
      { op: 'Div', inputs: ['waveforms_lens', 'size'], outputs: ['features_lens'] },
    ],
  })
}

function encoder(): Buffer {
  return onnxFile({
    inputs: [float('audio_signal', ['batch', 1, 'frames']), int64('length', ['batch'])],
    outputs: [float('outputs', ['batch', 1, 'frames']), int64('encoded_lengths', ['batch'])],
    constants: [floats('ten', [10])],
    nodes: [
      { op: 'Mul', inputs: ['audio_signal', 'ten'], outputs: ['outputs'] },
      { op: 'Identity', inputs: ['length'], outputs: ['encoded_lengths'] },
    ],
  })
}

/** `width`: of the matrices that are multiplied at each step, to no effect. */
function decoder(width: number): Buffer {
  const state = (name: string) => float(name, [2, 'batch', 1])
  return onnxFile({
    inputs: [
      float('encoder_outputs', ['batch', 1, 1]),
      { name: 'targets', type: 'int32', dims: ['batch', 1] },
      { name: 'target_length', type: 'int32', dims: ['batch'] },
      state('input_states_1'),
      state('input_states_2'),
    ],
    outputs: [
      float('outputs', ['batch', 1, 1, LEVELS.length + 3]),
      { name: 'prednet_lengths', type: 'int32', dims: ['batch'] },
      state('output_states_1'),
      state('output_states_2'),
    ],
    constants: [
      floats('levels', LEVELS),
      floats('blank', [...TINY_PIECES.map(() => 0), 1]),
      floats('one', [1]),
      floats('half', [0.5]),
      floats('most', [3.5]),
      floats('much', [1000]),
      floats('by one and by two', [0.5, -1]),
      floats('matrix', new Array<number>(width * width).fill(1 / width), [width, width]),
      floats('none', [0]),
      ints('flat', [-1]),
      ints('first', [0]),
      ints('scored', [1, 1, 1, -1]),
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
      reduced('ReduceMax', 'power', 'result'),
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
      inputs: [float('audio_signal', ['batch', 80, 'frames']), int64('length', ['batch'])],
      outputs: [float('logprobs', ['batch', 'frames', pieces.length])],
      constants: [
        // Silence is far below every sound in a logarithm; any sound gives the first piece.
        floats('floor', [-13]),
        floats('pieces', [1, 0, 0, 0, -1]),
        ints('last', [-1]),
      ],
      nodes: [
        reduced('ReduceMax', 'audio_signal', 'loudest', 1),
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
