import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type {
  InterruptableStoppingCriteria,
  PreTrainedModel,
  PreTrainedTokenizer,
  TextGenerationPipeline,
} from '@huggingface/transformers'
import { modelStoreSettings } from '../../../kit/models/cache-folder.ts'
import type { OnnxLoad, OnnxSettings } from './onnx-protocol.ts'

/** A loaded embedding model, and how one vector is made of the vectors of a text's tokens. */
export interface Embedder {
  task: 'embedding'
  tokenizer: PreTrainedTokenizer
  model: PreTrainedModel
  pooling: Pooling
  meanPooling: Transformers['mean_pooling']
  /** Longer texts are cut. */
  maxTokens: number
}
type Pooling = NonNullable<OnnxSettings['pooling']>
type Transformers = typeof import('@huggingface/transformers')

/** A loaded cross-encoder: scores pairs of texts. */
export interface CrossEncoder {
  task: 'rerank'
  tokenizer: PreTrainedTokenizer
  model: PreTrainedModel
  /** Longer pairs are cut. */
  maxTokens: number
}

/** A loaded language model. */
export interface Generator {
  task: 'generation'
  generator: TextGenerationPipeline
  stop: InterruptableStoppingCriteria
}

export type Network = Embedder | CrossEncoder | Generator

/** Loads weights from a local folder, else by hub id through `cacheDir`, from the hub or the mirror that the environment names. */
export async function loadNetwork({ settings, cacheDir }: OnnxLoad): Promise<Network> {
  const transformers = await import('@huggingface/transformers')
  const { hub, isOffline } = modelStoreSettings(process.env)
  transformers.env.cacheDir = cacheDir
  transformers.env.remoteHost = `${hub}/`
  transformers.env.allowRemoteModels = !isOffline
  transformers.env.logLevel = transformers.LogLevel.ERROR
  const { dtype, task, max_tokens: limit } = settings
  const source = sourceOf(settings.model)
  if (task === 'embedding') {
    const sentence = await sentenceSettings(source)
    const { tokenizer, model } = await transformers.pipeline('feature-extraction', source, { dtype })
    const maxTokens = tokenLimit(tokenizer, model, limit ?? sentence.maxTokens)
    const { mean_pooling: meanPooling } = transformers
    return { task, tokenizer, model, pooling: settings.pooling ?? sentence.pooling, meanPooling, maxTokens }
  }
  if (task === 'rerank') {
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(source)
    const model = await transformers.AutoModelForSequenceClassification.from_pretrained(source, { dtype })
    return { task, tokenizer, model, maxTokens: tokenLimit(tokenizer, model, limit ?? null) }
  }
  const generator = await transformers.pipeline('text-generation', source, { dtype })
  return { task, generator, stop: new transformers.InterruptableStoppingCriteria() }
}

/** Describes what a model's makers define beside its network, in the files of sentence-transformers. */
interface SentenceSettings {
  pooling: Pooling
  /** Null: the tokenizer's own limit. */
  maxTokens: number | null
}

/** The switch of each pooling in `1_Pooling/config.json`. */
const POOLING_SWITCHES: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
}

/** Read from a local folder only: the library fetches none of these files with a hub id, whose settings models.yaml names. */
async function sentenceSettings(source: string): Promise<SentenceSettings> {
  const [pooling, sentence] = await Promise.all([
    readJson(join(source, '1_Pooling', 'config.json')),
    readJson(join(source, 'sentence_bert_config.json')),
  ])
  const isOn = ([name, value]: [string, unknown]) => name.startsWith('pooling_mode_') && value === true
  const switched = Object.entries(pooling).filter(isOn)
  const [first, ...more] = switched.map(([name]) => name)
  if (first !== undefined && (more.length > 0 || POOLING_SWITCHES[first] === undefined)) {
    throw new Error(
      `1_Pooling/config.json asks for ${[first, ...more].join(' and ')}, expected pooling_mode_mean_tokens or pooling_mode_cls_token`,
    )
  }
  const length = sentence['max_seq_length']
  return {
    pooling: first === undefined ? 'mean' : POOLING_SWITCHES[first]!,
    maxTokens: typeof length === 'number' && length > 0 ? length : null,
  }
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  if (!existsSync(file)) return {}
  return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
}

/** A tokenizer may know no limit, or one beyond the positions that the network has, which then fails in the middle of a run. */
function tokenLimit(tokenizer: PreTrainedTokenizer, model: PreTrainedModel, maxTokens: number | null): number {
  const { max_position_embeddings: positions = Infinity } = model.config as { max_position_embeddings?: number }
  return Math.min(maxTokens ?? Infinity, (tokenizer.model_max_length as number | undefined) ?? Infinity, positions)
}

/** The absolute folder when the path exists; the library takes anything else for a hub id. */
const sourceOf = (model: string): string => (existsSync(model) ? resolve(model) : model)
