import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { float, floats, ints, onnxFile, reduced } from './onnx-file.ts'
import { specialToken, tinyDecoder, tokenTable } from './tiny-decoder.ts'

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

/** Lists what follows each token: the three pieces of the text between two times, then the end. */
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
 * A Whisper of one layer in the files of the real ones: it returns "salt seafood" for any sound and nothing for silence, and its attention moves on
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
  added_tokens: SPECIAL.map((content, i) => specialToken(content, TEXT.length + i)),
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
    inputs: [float('input_features', ['batch', 80, 3000])],
    outputs: [float('last_hidden_state', ['batch', FRAMES, 1])],
    constants: [ints('pairs', [1, FRAMES, 2])],
    nodes: [
      reduced('ReduceMax', 'input_features', 'loudest', 1),
      { op: 'Reshape', inputs: ['loudest', 'pairs'], outputs: ['frames'] },
      reduced('ReduceMean', 'frames', 'last_hidden_state', 2, 1),
    ],
  })
}

const decoder = (): Buffer =>
  tinyDecoder({
    vocabulary: VOCABULARY,
    end: END,
    following: FOLLOWING,
    frames: FRAMES,
    hearing: [
      reduced('ReduceMax', 'encoder_hidden_states', 'loudness'),
      { op: 'Sub', inputs: ['loudness', 'threshold'], outputs: ['above'] },
      { op: 'Relu', inputs: ['above'], outputs: ['heard'] },
      { op: 'Ceil', inputs: ['heard'], outputs: ['strength'] },
    ],
    more: {
      outputs: [float('cross_attentions.0', ['batch', 1, 'length', FRAMES])],
      constants: [
        // Silence is −1.5 in Whisper's features, and everything else is above it.
        floats('threshold', [-1.4]),
        tokenTable('looks', VOCABULARY, FRAMES, (row, column) => (lookAt(column) === row ? 1 : 0)),
      ],
      nodes: [
        { op: 'Gather', inputs: ['looks', 'input_ids'], outputs: ['look'] },
        { op: 'Unsqueeze', inputs: ['look', 'head'], outputs: ['cross_attentions.0'] },
      ],
    },
  })

/** The token whose row looks at a frame: each for its half second, the last one for the rest. */
function lookAt(frame: number): number {
  return LOOKS[Math.min(LOOKS.length - 1, Math.floor(frame / WORD_FRAMES))]!
}
