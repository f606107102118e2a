import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onnxFile } from './onnx-file.ts'
import type { OnnxTensor, OnnxValue } from './onnx-file.ts'

const TEXT = ['Ġsalt', 'Ġsea', 'food']
const SPECIAL = ['<|endoftext|>', '<|startoftranscript|>', '<|en|>', '<|transcribe|>', '<|notimestamps|>']
const [END, START, ENGLISH, TRANSCRIBE, NO_TIMES] = SPECIAL.map((_, i) => TEXT.length + i) as [
  number,
  number,
  number,
  number,
  number,
]
/** The token of second 0; one more for every fiftieth of a second, up to thirty seconds. */
const ZERO = NO_TIMES + 1
const VOCABULARY = ZERO + 1501
const FRAMES = 1500
/** Frames of attention on each token: half a second. */
const WORD_FRAMES = 25
const LAST = ZERO + WORD_FRAMES * TEXT.length

/** What follows each token: the three pieces of the text between two times, then the end. */
const FOLLOWING = new Map([
  [TRANSCRIBE, ZERO],
  [ZERO, 0],
  [0, 1],
  [1, 2],
  [2, LAST],
  [LAST, END],
])
/** The order in which the decoder looks along the sound. */
const LOOKS = [ZERO, 0, 1, 2, LAST]

/**
 * A Whisper of one layer in the files of the real ones: it says "salt seafood" to any sound and nothing to silence, and its attention moves on
 * every half second, so that word times are known.
 */
export async function writeTinyWhisper(folder: string): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'encoder_model_quantized.onnx'), encoder())
  await writeFile(join(folder, 'onnx', 'decoder_model_merged_quantized.onnx'), decoder())
  const files = {
    config,
    generation_config: generation,
    preprocessor_config: preprocessor,
    tokenizer,
    tokenizer_config: words,
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(content))
}

const config = {
  model_type: 'whisper',
  architectures: ['WhisperForConditionalGeneration'],
  is_encoder_decoder: true,
  vocab_size: VOCABULARY,
  d_model: 1,
  encoder_layers: 1,
  encoder_attention_heads: 1,
  decoder_layers: 1,
  decoder_attention_heads: 1,
  num_mel_bins: 80,
  max_source_positions: FRAMES,
  max_target_positions: 448,
  median_filter_width: 1,
  decoder_start_token_id: START,
  eos_token_id: END,
}
const generation = {
  alignment_heads: [[0, 0]],
  is_multilingual: true,
  lang_to_id: { '<|en|>': ENGLISH },
  task_to_id: { transcribe: TRANSCRIBE },
  no_timestamps_token_id: NO_TIMES,
  decoder_start_token_id: START,
  eos_token_id: END,
  pad_token_id: END,
  max_initial_timestamp_index: 50,
  max_length: 448,
}
const preprocessor = {
  feature_extractor_type: 'WhisperFeatureExtractor',
  processor_class: 'WhisperProcessor',
  feature_size: 80,
  sampling_rate: 16_000,
  hop_length: 160,
  n_fft: 400,
  chunk_length: 30,
  n_samples: 480_000,
  nb_max_frames: 3000,
}
const words = { tokenizer_class: 'WhisperTokenizer', eos_token: '<|endoftext|>', unk_token: '<|endoftext|>' }
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
const tokenizer = {
  version: '1.0',
  added_tokens: SPECIAL.map((content, i) => ({
    id: TEXT.length + i,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: null,
  pre_tokenizer: byteLevel,
  post_processor: null,
  decoder: byteLevel,
  model: {
    type: 'BPE',
    unk_token: '<|endoftext|>',
    vocab: Object.fromEntries([...TEXT, ...SPECIAL].map((token, id) => [token, id])),
    merges: [],
  },
}

/** Each frame's loudest band, two spectra to a frame. */
function encoder(): Buffer {
  return onnxFile({
    inputs: [{ name: 'input_features', type: 'float', dims: ['batch', 80, 3000] }],
    outputs: [{ name: 'last_hidden_state', type: 'float', dims: ['batch', FRAMES, 1] }],
    constants: [{ name: 'pairs', dims: [3], values: BigInt64Array.of(1n, BigInt(FRAMES), 2n) }],
    nodes: [
      {
        op: 'ReduceMax',
        inputs: ['input_features'],
        outputs: ['loudest'],
        intLists: { axes: [1] },
        ints: { keepdims: 0 },
      },
      { op: 'Reshape', inputs: ['loudest', 'pairs'], outputs: ['frames'] },
      {
        op: 'ReduceMean',
        inputs: ['frames'],
        outputs: ['last_hidden_state'],
        intLists: { axes: [2] },
        ints: { keepdims: 1 },
      },
    ],
  })
}

const table = (name: string, width: number, cell: (row: number, column: number) => number): OnnxTensor => ({
  name,
  dims: [VOCABULARY, width],
  values: Float32Array.from({ length: VOCABULARY * width }, (_, at) => cell(Math.floor(at / width), at % width)),
})
const number = (name: string, value: number): OnnxTensor => ({ name, dims: [1], values: Float32Array.of(value) })

function decoder(): Buffer {
  const cache = (name: string, length: string): OnnxValue => ({ name, type: 'float', dims: ['batch', 1, length, 1] })
  const past = (part: string) =>
    ['key', 'value'].map((half) => cache(`past_key_values.0.${part}.${half}`, `${part} past`))
  const present = (part: string) => ['key', 'value'].map((half) => cache(`present.0.${part}.${half}`, `${part} total`))
  return onnxFile({
    inputs: [
      { name: 'input_ids', type: 'int64', dims: ['batch', 'length'] },
      { name: 'encoder_hidden_states', type: 'float', dims: ['batch', FRAMES, 1] },
      ...past('decoder'),
      ...past('encoder'),
    ],
    outputs: [
      { name: 'logits', type: 'float', dims: ['batch', 'length', VOCABULARY] },
      ...present('decoder'),
      ...present('encoder'),
      { name: 'cross_attentions.0', type: 'float', dims: ['batch', 1, 'length', FRAMES] },
    ],
    constants: [
      table('following', VOCABULARY, (row, column) => (FOLLOWING.get(row) === column ? 30 : 0)),
      {
        name: 'end',
        dims: [VOCABULARY],
        values: Float32Array.from({ length: VOCABULARY }, (_, id) => (id === END ? 15 : 0)),
      },
      // Silence is −1.5 in Whisper's features, and everything else is above it.
      number('threshold', -1.4),
      table('looks', FRAMES, (row, column) => (lookAt(column) === row ? 1 : 0)),
      table('keys', 1, () => 0),
      { name: 'head', dims: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { op: 'ReduceMax', inputs: ['encoder_hidden_states'], outputs: ['loudness'], ints: { keepdims: 0 } },
      { op: 'Sub', inputs: ['loudness', 'threshold'], outputs: ['above'] },
      { op: 'Relu', inputs: ['above'], outputs: ['heard'] },
      { op: 'Ceil', inputs: ['heard'], outputs: ['strength'] },
      { op: 'Gather', inputs: ['following', 'input_ids'], outputs: ['next'] },
      { op: 'Mul', inputs: ['next', 'strength'], outputs: ['said'] },
      { op: 'Add', inputs: ['said', 'end'], outputs: ['logits'] },
      { op: 'Gather', inputs: ['looks', 'input_ids'], outputs: ['look'] },
      { op: 'Unsqueeze', inputs: ['look', 'head'], outputs: ['cross_attentions.0'] },
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
    ],
  })
}

/** The token whose row looks at a frame: each for its half second, the last one for the rest. */
function lookAt(frame: number): number {
  return LOOKS[Math.min(LOOKS.length - 1, Math.floor(frame / WORD_FRAMES))]!
}
