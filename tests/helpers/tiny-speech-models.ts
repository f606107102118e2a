import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesBelow } from '../../main/lib/files/files-below.ts'
import type { DeclaredModel } from '../../providers/kit/models/declared-model.ts'
import {
  float,
  floats,
  int64,
  ints,
  onnxFile,
  reduced,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
} from './onnx-file.ts'

/** Samples that the small Kokoro gives for each of its tokens. */
export const KOKORO_TOKEN_SAMPLES = 240
/** Samples that the small Chatterbox gives for each speech token. */
export const CHATTERBOX_TOKEN_SAMPLES = 480
/** Lists what its encoder puts before every speech. */
export const CHATTERBOX_PROMPT = [7, 8]

const STYLE_WIDTH = 256

/** Each number of `levels` [1, n] held for so many samples: `waveform` [1, n × samples]. */
const held = (levels: string, samples: number): { nodes: OnnxNode[]; constants: OnnxTensor[] } => ({
  nodes: [
    { op: 'Unsqueeze', inputs: [levels, 'last'], outputs: ['steps'] },
    { op: 'Mul', inputs: ['steps', 'hold'], outputs: ['grid'] },
    { op: 'Reshape', inputs: ['grid', 'flat'], outputs: ['waveform'] },
  ],
  constants: [
    ints('last', [2]),
    floats('hold', new Array<number>(samples).fill(1), [1, 1, samples]),
    ints('flat', [1, -1]),
  ],
})

/** A minute of multiplying, a second on the fastest machine, on the way from one value to the same value. */
function idleWork(from: string, to: string): { nodes: OnnxNode[]; constants: OnnxTensor[] } {
  const rounds = 2000
  return {
    constants: [ints('side', [1024, 1024]), floats('nothing', [0], [1])],
    nodes: [
      { op: 'Expand', inputs: [from, 'side'], outputs: ['idle0'] },
      ...Array.from({ length: rounds }, (_, i): OnnxNode[] => [
        { op: 'MatMul', inputs: [`idle${i}`, `idle${i}`], outputs: [`product${i}`] },
        // Large numbers would end as infinities, which are fast.
        { op: 'Tanh', inputs: [`product${i}`], outputs: [`idle${i + 1}`] },
      ]).flat(),
      reduced('ReduceMax', `idle${rounds}`, 'worked'),
      { op: 'Mul', inputs: ['worked', 'nothing'], outputs: ['zero'] },
      { op: 'Add', inputs: [from, 'zero'], outputs: [to] },
    ],
  }
}

/**
 * A Kokoro of two voices: a token's sound is its id ÷ 1000, times the first number of the style, divided by the speed. Voice `af_heart` has the
 * style ½ at every length; `am_puck` has the number of tokens ÷ 512.
 */
export async function writeTinyKokoro(folder: string, { slow = false, symbols = 'input_ids' } = {}): Promise<void> {
  const sound = held('levels', KOKORO_TOKEN_SAMPLES)
  const idle = slow ? idleWork('strength', 'delayed') : null
  await writeGraph(folder, 'model_quantized', {
    inputs: [int64(symbols, [1, 'length']), float('style', [1, STYLE_WIDTH]), float('speed', [1])],
    outputs: [float('waveform', [1, 'samples'])],
    constants: [...sound.constants, floats('thousandth', [0.001], [1]), ints('first', [0]), ...(idle?.constants ?? [])],
    nodes: [
      { op: 'Cast', inputs: [symbols], outputs: ['numbers'], ints: { to: 1 } },
      { op: 'Mul', inputs: ['numbers', 'thousandth'], outputs: ['small'] },
      { op: 'Gather', inputs: ['style', 'first'], outputs: ['strength'], ints: { axis: 1 } },
      ...(idle?.nodes ?? []),
      { op: 'Mul', inputs: ['small', slow ? 'delayed' : 'strength'], outputs: ['styled'] },
      { op: 'Div', inputs: ['styled', 'speed'], outputs: ['levels'] },
      ...sound.nodes,
    ],
  })
  const vocabulary = Object.fromEntries(
    Array.from('$;:,.!? ˈˌɑæəʌɔWIbʧdðɛɜɹAfɡhɪiʤklmnŋOYpsʃtθʊuvwjzʒ', (symbol, id) => [symbol, id]),
  )
  await put(folder, 'tokenizer.json', JSON.stringify({ model: { vocab: vocabulary } }))
  const rows = (strength: (length: number) => number) =>
    Float32Array.from({ length: 510 * STYLE_WIDTH }, (_, at) =>
      at % STYLE_WIDTH === 0 ? strength(at / STYLE_WIDTH) : 0,
    )
  await put(folder, 'voices/af_heart.bin', new Uint8Array(rows(() => 0.5).buffer))
  await put(folder, 'voices/am_puck.bin', new Uint8Array(rows((length) => length / 512).buffer))
}

/** Tokens of a Chatterbox that outputs 100, 101, 102 for any text. */
export const CHATTERBOX_SAID = [100, 101, 102]

const SPEECH_TOKENS = 6563
const END_OF_SPEECH = 6562
const WIDTH = 4

/**
 * A Chatterbox that outputs three tokens for any text: 100 follows a text, 101 follows 100; 101 would follow itself but for the penalty on what was
 * chosen, and so 102 does; after 102 the end comes only if the cache still holds 100. A token sounds as its id ÷ 10,000 times the clip's peak.
 */
export async function writeTinyChatterbox(folder: string): Promise<void> {
  const row = (token: number) => [0, 1, 2, 3].map((column) => Number(column === Math.max(0, token - 99)))
  await writeGraph(folder, 'embed_tokens_q4', {
    inputs: [int64('input_ids', [1, 'length'])],
    outputs: [float('inputs_embeds', [1, 'length', WIDTH])],
    constants: [
      floats('rows', Array.from({ length: SPEECH_TOKENS }, (_, token) => row(token <= 102 ? token : 0)).flat(), [
        SPEECH_TOKENS,
        WIDTH,
      ]),
    ],
    nodes: [{ op: 'Gather', inputs: ['rows', 'input_ids'], outputs: ['inputs_embeds'] }],
  })
  await writeGraph(folder, 'speech_encoder_q4', {
    inputs: [float('audio_values', [1, 'samples'])],
    outputs: [
      float('audio_features', [1, 1, WIDTH]),
      int64('audio_tokens', [1, 2]),
      float('speaker_embeddings', [1, 1]),
      float('speaker_features', [1, 1, 1]),
    ],
    constants: [
      floats('none', [0, 0, 0, 0], [1, 1, WIDTH]),
      ints('prompt', CHATTERBOX_PROMPT, [1, 2]),
      ints('last', [2]),
    ],
    nodes: [
      reduced('ReduceMax', 'audio_values', 'speaker_embeddings', 1, 1),
      { op: 'Mul', inputs: ['speaker_embeddings', 'none'], outputs: ['audio_features'] },
      { op: 'Identity', inputs: ['prompt'], outputs: ['audio_tokens'] },
      { op: 'Unsqueeze', inputs: ['speaker_embeddings', 'last'], outputs: ['speaker_features'] },
    ],
  })
  await writeGraph(folder, 'language_model_q4', languageModel())
  const sound = held('levels', CHATTERBOX_TOKEN_SAMPLES)
  await writeGraph(folder, 'conditional_decoder_q4', {
    inputs: [
      int64('speech_tokens', [1, 'length']),
      float('speaker_embeddings', [1, 1]),
      float('speaker_features', [1, 1, 1]),
    ],
    outputs: [float('waveform', [1, 'samples'])],
    constants: [...sound.constants, floats('tiny', [0.0001], [1])],
    nodes: [
      { op: 'Cast', inputs: ['speech_tokens'], outputs: ['numbers'], ints: { to: 1 } },
      { op: 'Mul', inputs: ['numbers', 'tiny'], outputs: ['small'] },
      { op: 'Mul', inputs: ['small', 'speaker_embeddings'], outputs: ['levels'] },
      ...sound.nodes,
    ],
  })
  await writeTokenizer(folder)
}

function languageModel(): OnnxGraph {
  const cache = (name: string, length: string) => float(name, [1, 1, length, 1])
  const scores = Array.from({ length: WIDTH }, () => new Array<number>(SPEECH_TOKENS).fill(0))
  scores[0]![100] = 10
  scores[1]![101] = 10
  scores[2]![101] = 10
  scores[2]![102] = 9
  scores[3]![100] = 5
  const end = new Array<number>(SPEECH_TOKENS).fill(0)
  end[END_OF_SPEECH] = 20
  return {
    inputs: [
      float('inputs_embeds', [1, 'length', WIDTH]),
      int64('attention_mask', [1, 'total']),
      int64('position_ids', [1, 'length']),
      cache('past_key_values.0.key', 'past'),
      cache('past_key_values.0.value', 'past'),
    ],
    outputs: [
      float('logits', [1, 'length', SPEECH_TOKENS]),
      cache('present.0.key', 'total'),
      cache('present.0.value', 'total'),
    ],
    constants: [
      floats('scores', scores.flat(), [WIDTH, SPEECH_TOKENS]),
      floats('end', end, [1, SPEECH_TOKENS]),
      ints('second', [1]),
      ints('fourth', [3]),
    ],
    nodes: [
      { op: 'MatMul', inputs: ['inputs_embeds', 'scores'], outputs: ['plain'] },
      { op: 'Gather', inputs: ['inputs_embeds', 'second'], outputs: ['is100'], ints: { axis: 2 } },
      { op: 'Unsqueeze', inputs: ['is100', 'second'], outputs: ['step'] },
      { op: 'Concat', inputs: ['past_key_values.0.key', 'step'], outputs: ['present.0.key'], ints: { axis: 2 } },
      { op: 'Concat', inputs: ['past_key_values.0.value', 'step'], outputs: ['present.0.value'], ints: { axis: 2 } },
      reduced('ReduceMax', 'present.0.key', 'heard100'),
      { op: 'Gather', inputs: ['inputs_embeds', 'fourth'], outputs: ['is102'], ints: { axis: 2 } },
      { op: 'Mul', inputs: ['is102', 'heard100'], outputs: ['over'] },
      { op: 'MatMul', inputs: ['over', 'end'], outputs: ['ending'] },
      { op: 'Add', inputs: ['plain', 'ending'], outputs: ['logits'] },
    ],
  }
}

async function writeTokenizer(folder: string): Promise<void> {
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[UNK]': 0, '.': 1, hello: 2 } },
  }
  await put(folder, 'tokenizer.json', JSON.stringify(tokenizer))
  await put(
    folder,
    'tokenizer_config.json',
    JSON.stringify({ tokenizer_class: 'PreTrainedTokenizer', unk_token: '[UNK]' }),
  )
}

const writeGraph = (folder: string, name: string, graph: OnnxGraph): Promise<void> =>
  put(folder, `onnx/${name}.onnx`, onnxFile(graph))

async function put(folder: string, name: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), content)
}

/** A folder's files as a model that `server` has below `/models/`. */
export async function declareFolder(folder: string, id: string, server: string): Promise<DeclaredModel> {
  const files = await Promise.all(
    (await filesBelow(folder)).map(async (name) => {
      const bytes = await readFile(join(folder, name))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      return { path: name, url: `${server}/models/${name}`, sizeBytes: bytes.length, sha256 }
    }),
  )
  return { id, license: 'CC0-1.0', sourcePage: `${server}/about`, files }
}
