import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Engine, EngineOrder } from './engine.ts'
import { openOnDevice } from './onnx-device.ts'
import { wordsOfPieces, type Piece } from './words-of-pieces.ts'

const SAMPLE_RATE = 16_000
/** Pieces that may begin at one frame before the search goes on: the models' own limit against running in circles. */
const MAX_PIECES_PER_FRAME = 10

const PREPROCESSOR = 'nemo128.onnx'
const ENCODER = 'encoder-model.int8.onnx'
const DECODER = 'decoder_joint-model.int8.onnx'
const VOCABULARY = 'vocab.txt'

interface Sessions {
  preprocessor: InferenceSession
  encoder: InferenceSession
  decoder: InferenceSession
}

/**
 * Token-and-duration transducers (Xu et al. 2023, arXiv 2304.06795), such as Parakeet TDT, in the export with a preprocessor, an encoder, and
 * one graph for prediction and joint network. Greedy search: at each frame the best piece and the best number of frames to go on by.
 */
export async function openTransducer({ folder, device: wanted }: EngineOrder): Promise<Engine> {
  const vocabulary = await readVocabulary(join(folder, VOCABULARY))
  const { model, device, note } = await openOnDevice(wanted, async (provider): Promise<Sessions> => {
    const open = (file: string, on: string) =>
      InferenceSession.create(join(folder, file), { executionProviders: [on], logSeverityLevel: 3 })
    return {
      // Features need exact arithmetic and little of it.
      preprocessor: await open(PREPROCESSOR, 'cpu'),
      encoder: await open(ENCODER, provider),
      // One small step per piece: the way to another device and back would cost more than the step.
      decoder: await open(DECODER, 'cpu'),
    }
  })
  return {
    device,
    note,
    isAligned: true,
    recognize: async (samples) => wordsOfPieces(await search(model, vocabulary, samples)),
  }
}

/** Pieces by their number; the last one is the blank. */
async function readVocabulary(path: string): Promise<string[]> {
  const vocabulary: string[] = []
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [, piece, id] = /^(.+) (\d+)\r?$/.exec(line) ?? []
    if (piece !== undefined) vocabulary[Number(id)] = piece
  }
  if (vocabulary.length < 2 || vocabulary.includes(undefined as unknown as string))
    throw new Error(`${path}: invalid vocabulary: expected lines of a piece and its number, from 0 without gaps`)
  return vocabulary
}

async function search(sessions: Sessions, vocabulary: readonly string[], samples: Float32Array): Promise<Piece[]> {
  const encoded = await encode(sessions, samples)
  const secondsPerFrame = samples.length / SAMPLE_RATE / Math.max(1, encoded.frames)
  const blank = vocabulary.length - 1
  let states = emptyStates(sessions.decoder)
  let last = blank
  let begunHere = 0
  const pieces: Piece[] = []
  for (let frame = 0; frame < encoded.frames;) {
    const step = await sessions.decoder.run({
      encoder_outputs: encoded.frame(frame),
      targets: new Tensor('int32', Int32Array.of(last), [1, 1]),
      target_length: new Tensor('int32', Int32Array.of(1), [1]),
      ...states,
    })
    const scores = step['outputs']!.data as Float32Array
    const piece = best(scores, 0, vocabulary.length)
    const goesOnBy = best(scores, vocabulary.length, scores.length)
    if (piece !== blank) {
      states = { input_states_1: step['output_states_1']!, input_states_2: step['output_states_2']! }
      last = piece
      begunHere += 1
      pieces.push({
        text: vocabulary[piece]!,
        start: frame * secondsPerFrame,
        end: Math.min(encoded.frames, frame + Math.max(1, goesOnBy)) * secondsPerFrame,
      })
    }
    const isStuck = goesOnBy === 0 && (piece === blank || begunHere === MAX_PIECES_PER_FRAME)
    frame += isStuck ? 1 : goesOnBy
    if (isStuck || goesOnBy > 0) begunHere = 0
  }
  return pieces
}

/** The encoder's frames, each as the decoder wants it. */
async function encode({ preprocessor, encoder }: Sessions, samples: Float32Array) {
  const { features, features_lens: length } = await preprocessor.run({
    waveforms: new Tensor('float32', samples, [1, samples.length]),
    waveforms_lens: new Tensor('int64', BigInt64Array.of(BigInt(samples.length)), [1]),
  })
  const { outputs, encoded_lengths: frames } = await encoder.run({ audio_signal: features!, length: length! })
  const [, width, total] = outputs!.dims as [number, number, number]
  const values = outputs!.data as Float32Array
  return {
    frames: Math.min(total, Number((frames!.data as BigInt64Array)[0])),
    frame: (at: number) =>
      new Tensor(
        'float32',
        Float32Array.from({ length: width }, (_, i) => values[i * total + at]!),
        [1, width, 1],
      ),
  }
}

/** The prediction network's states before the first piece, in the sizes that the graph declares. */
function emptyStates(decoder: InferenceSession): Record<string, Tensor> {
  const states = decoder.inputMetadata.filter(({ name }) => name.startsWith('input_states_'))
  return Object.fromEntries(
    states.map((input) => {
      // Only the batch has no fixed size.
      const dims = input.isTensor ? input.shape.map((size) => (typeof size === 'number' && size > 0 ? size : 1)) : []
      return [input.name, new Tensor('float32', new Float32Array(dims.reduce((a, b) => a * b, 1)), dims)]
    }),
  )
}

function best(scores: Float32Array, from: number, to: number): number {
  let at = from
  for (let i = from + 1; i < to; i += 1) if (scores[i]! > scores[at]!) at = i
  return at - from
}
