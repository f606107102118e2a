import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onnxFile } from './onnx-file.ts'
import type { OnnxValue } from './onnx-file.ts'

const TEXT = ['▁salt', '▁sea', 'food']
const SPECIAL = ['<s>', '</s>']
const START = TEXT.length
const END = START + 1
const VOCABULARY = END + 1
/** What follows each token; nothing after the start is the end, where the sound is silent. */
const FOLLOWING = new Map([
  [START, 0],
  [0, 1],
  [1, 2],
  [2, END],
])
/** Samples to a frame, as the real one's three convolutions make them. */
const FRAME = 384

/** A Moonshine of one layer in the files of the real ones: it hears the waveform itself, says "salt seafood" to any sound and nothing to silence. */
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
  added_tokens: SPECIAL.map((content, i) => ({
    id: START + i,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
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
    inputs: [{ name: 'input_values', type: 'float', dims: ['batch', 'samples'] }],
    outputs: [{ name: 'last_hidden_state', type: 'float', dims: ['batch', 'frames', 1] }],
    constants: [{ name: 'channel', dims: [1], values: BigInt64Array.of(1n) }],
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

function decoder(): Buffer {
  const cache = (name: string, length: string): OnnxValue => ({ name, type: 'float', dims: ['batch', 1, length, 1] })
  const past = (part: string) =>
    ['key', 'value'].map((half) => cache(`past_key_values.0.${part}.${half}`, `${part} past`))
  const present = (part: string) => ['key', 'value'].map((half) => cache(`present.0.${part}.${half}`, `${part} total`))
  return onnxFile({
    inputs: [
      { name: 'input_ids', type: 'int64', dims: ['batch', 'length'] },
      { name: 'encoder_hidden_states', type: 'float', dims: ['batch', 'frames', 1] },
      ...past('decoder'),
      ...past('encoder'),
    ],
    outputs: [
      { name: 'logits', type: 'float', dims: ['batch', 'length', VOCABULARY] },
      ...present('decoder'),
      ...present('encoder'),
    ],
    constants: [
      {
        name: 'following',
        dims: [VOCABULARY, VOCABULARY],
        values: Float32Array.from({ length: VOCABULARY ** 2 }, (_, at) =>
          FOLLOWING.get(Math.floor(at / VOCABULARY)) === at % VOCABULARY ? 30 : 0,
        ),
      },
      {
        name: 'end',
        dims: [VOCABULARY],
        values: Float32Array.from({ length: VOCABULARY }, (_, id) => (id === END ? 15 : 0)),
      },
      { name: 'keys', dims: [VOCABULARY, 1], values: new Float32Array(VOCABULARY) },
      { name: 'head', dims: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { op: 'ReduceMax', inputs: ['encoder_hidden_states'], outputs: ['loudness'], ints: { keepdims: 0 } },
      { op: 'Ceil', inputs: ['loudness'], outputs: ['strength'] },
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
    ],
  })
}
