import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { float, ints, onnxFile, reduced } from './onnx-file.ts'
import { specialToken, tinyDecoder } from './tiny-decoder.ts'

const TEXT = ['▁salt', '▁sea', 'food']
const SPECIAL = ['<s>', '</s>']
const START = TEXT.length
const END = START + 1
const VOCABULARY = END + 1
/** Lists what follows each token; nothing after the start is the end, where the sound is silent. */
const FOLLOWING = new Map([
  [START, 0],
  [0, 1],
  [1, 2],
  [2, END],
])
/** Samples to a frame, as the real one's three convolutions make them. */
const FRAME = 384

/** A Moonshine of one layer in the files of the real ones: it reads the waveform itself and transcribes any sound as "salt seafood" and silence as nothing. */
export async function writeTinyMoonshine(folder: string): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'encoder_model_quantized.onnx'), encoder())
  await writeFile(join(folder, 'onnx', 'decoder_model_merged_quantized.onnx'), decoder())
  const files = {
    config,
    generation_config: { decoder_start_token_id: START, bos_token_id: START, eos_token_id: END, pad_token_id: END },
    preprocessor_config: {
      feature_extractor_type: 'MoonshineFeatureExtractor',
      processor_class: 'MoonshineProcessor',
      feature_size: 1,
      sampling_rate: 16_000,
    },
    tokenizer,
    tokenizer_config: { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: '<s>', eos_token: '</s>' },
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(content))
}

const config = {
  model_type: 'moonshine',
  architectures: ['MoonshineForConditionalGeneration'],
  is_encoder_decoder: true,
  vocab_size: VOCABULARY,
  hidden_size: 1,
  encoder_num_hidden_layers: 1,
  encoder_num_key_value_heads: 1,
  decoder_num_hidden_layers: 1,
  decoder_num_key_value_heads: 1,
  max_position_embeddings: 194,
  decoder_start_token_id: START,
  bos_token_id: START,
  eos_token_id: END,
}
const tokenizer = {
  version: '1.0',
  added_tokens: SPECIAL.map((content, i) => specialToken(content, START + i)),
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    unk_token: '</s>',
    vocab: Object.fromEntries([...TEXT, ...SPECIAL].map((token, id) => [token, id])),
    merges: [],
  },
}

/** The largest swing of each frame. */
function encoder(): Buffer {
  return onnxFile({
    inputs: [float('input_values', ['batch', 'samples'])],
    outputs: [float('last_hidden_state', ['batch', 'frames', 1])],
    constants: [ints('channel', [1])],
    nodes: [
      { op: 'Abs', inputs: ['input_values'], outputs: ['swing'] },
      { op: 'Unsqueeze', inputs: ['swing', 'channel'], outputs: ['wave'] },
      {
        op: 'MaxPool',
        inputs: ['wave'],
        outputs: ['frames'],
        intLists: { kernel_shape: [FRAME], strides: [FRAME] },
      },
      { op: 'Transpose', inputs: ['frames'], outputs: ['last_hidden_state'], intLists: { perm: [0, 2, 1] } },
    ],
  })
}

const decoder = (): Buffer =>
  tinyDecoder({
    vocabulary: VOCABULARY,
    end: END,
    following: FOLLOWING,
    frames: 'frames',
    hearing: [
      reduced('ReduceMax', 'encoder_hidden_states', 'loudness'),
      { op: 'Ceil', inputs: ['loudness'], outputs: ['strength'] },
    ],
  })
