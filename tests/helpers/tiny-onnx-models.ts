import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { float, int64, ints, onnxFile, reduced, type OnnxGraph, type OnnxValue } from './onnx-file.ts'
import { specialToken } from './tiny-decoder.ts'

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '<end>', 'red', 'green', 'blue', 'salt', 'sea']
const tokens: OnnxValue = int64('input_ids', ['batch', 'length'])
const mask: OnnxValue = int64('attention_mask', ['batch', 'total'])
const table = (name: string, width: number, cell: (row: number, column: number) => number) => ({
  name,
  dims: [VOCABULARY.length, width],
  values: Float32Array.from({ length: VOCABULARY.length * width }, (_, at) => cell(Math.floor(at / width), at % width)),
})

/** Embeds each word of a ten-word vocabulary as its own axis: the mean of a text is its bag of words. */
export async function writeEmbeddingModel(folder: string): Promise<void> {
  const size = VOCABULARY.length
  await writeModel(
    folder,
    { model_type: 'bert', architectures: ['BertModel'] },
    {
      inputs: [tokens, mask],
      outputs: [float('last_hidden_state', ['batch', 'length', size])],
      constants: [table('words', size, (row, column) => (row === column && row > 3 ? 1 : 0))],
      nodes: [{ op: 'Gather', inputs: ['words', 'input_ids'], outputs: ['last_hidden_state'] }],
    },
  )
}

/** Scores a pair by its last word of the vocabulary: `sea` is 9, `red` is 5. */
export async function writeCrossEncoder(folder: string): Promise<void> {
  await writeModel(
    folder,
    { model_type: 'bert', architectures: ['BertForSequenceClassification'], id2label: { 0: 'SCORE' } },
    {
      inputs: [tokens, mask],
      outputs: [float('logits', ['batch', 1])],
      constants: [table('weights', 1, (row) => (row > 4 ? row : 0))],
      nodes: [
        { op: 'Gather', inputs: ['weights', 'input_ids'], outputs: ['scores'] },
        reduced('ReduceMax', 'scores', 'logits', 1),
      ],
    },
  )
}

/** Always follows red with green, green with blue, blue with the end: a language model of three words. */
export async function writeGenerator(folder: string): Promise<void> {
  const size = VOCABULARY.length
  const next = (row: number) => (row === 5 ? 6 : row === 6 ? 7 : row === 7 ? 4 : 5)
  const cache = (name: string, length: string): OnnxValue => float(name, ['batch', 1, length, 1])
  const config = {
    model_type: 'gpt2',
    architectures: ['GPT2LMHeadModel'],
    n_layer: 1,
    n_head: 1,
    n_embd: 1,
    eos_token_id: 4,
    bos_token_id: 4,
  }
  await writeModel(folder, config, {
    inputs: [tokens, mask, cache('past_key_values.0.key', 'past'), cache('past_key_values.0.value', 'past')],
    outputs: [
      float('logits', ['batch', 'length', size]),
      cache('present.0.key', 'total'),
      cache('present.0.value', 'total'),
    ],
    constants: [
      table('following', size, (row, column) => (column === next(row) ? 10 : 0)),
      table('keys', 1, () => 0),
      ints('axis', [1]),
    ],
    nodes: [
      { op: 'Gather', inputs: ['following', 'input_ids'], outputs: ['logits'] },
      { op: 'Gather', inputs: ['keys', 'input_ids'], outputs: ['flat'] },
      { op: 'Unsqueeze', inputs: ['flat', 'axis'], outputs: ['step'] },
      { op: 'Concat', inputs: ['past_key_values.0.key', 'step'], outputs: ['present.0.key'], ints: { axis: 2 } },
      { op: 'Concat', inputs: ['past_key_values.0.value', 'step'], outputs: ['present.0.value'], ints: { axis: 2 } },
    ],
  })
  await writeFile(
    join(folder, 'generation_config.json'),
    JSON.stringify({ eos_token_id: 4, bos_token_id: 4, pad_token_id: 0 }),
  )
}

async function writeModel(folder: string, config: object, graph: OnnxGraph): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  await writeFile(join(folder, 'onnx', 'model.onnx'), onnxFile(graph))
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({ vocab_size: VOCABULARY.length, hidden_size: 1, ...config }),
  )
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer()))
  await writeFile(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({
      tokenizer_class: 'PreTrainedTokenizer',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      eos_token: '<end>',
      model_max_length: 64,
      chat_template: '{% for message in messages %}{{ message.content }} {% endfor %}',
    }),
  )
}

function tokenizer(): object {
  return {
    version: '1.0',
    added_tokens: VOCABULARY.slice(0, 5).map(specialToken),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      unk_token: '[UNK]',
      vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id])),
    },
  }
}
