import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { PreTrainedModel, PreTrainedTokenizer, TextGenerationPipeline } from '@huggingface/transformers'
import type { ModelRole, ModelOf } from '../../../contract/index.ts'
import { ModelCallError } from './model-host.ts'

/** A loaded embedding model, and how one vector is made of the vectors of a text's tokens. */
export interface Embedder {
  tokenizer: PreTrainedTokenizer
  model: PreTrainedModel
  pooling: Pooling
  /** Longer texts are cut. */
  maxTokens: number
}
type Pooling = NonNullable<ModelOf<'onnx'>['pooling']>

/** A loaded cross-encoder: scores pairs of texts. */
export interface CrossEncoder {
  tokenizer: PreTrainedTokenizer
  model: PreTrainedModel
  /** Longer pairs are cut. */
  maxTokens: number
}

/** Loads weights once each, however many roles use them; from a local folder, else by hub id through `cacheDir`. */
export interface OnnxModels {
  library(): Promise<typeof import('@huggingface/transformers')>
  embedder(role: ModelRole, choice: ModelOf<'onnx'>): Promise<Embedder>
  crossEncoder(role: ModelRole, choice: ModelOf<'onnx'>): Promise<CrossEncoder>
  generator(role: ModelRole, choice: ModelOf<'onnx'>): Promise<TextGenerationPipeline>
  close(): Promise<void>
}

interface Disposable {
  dispose(): Promise<unknown>
}

/** Nothing is imported or read before the first call. */
export function createOnnxModels(cacheDir: string): OnnxModels {
  const loaded = new Map<string, Promise<unknown>>()
  const disposables: Disposable[] = []

  async function library() {
    const transformers = await import('@huggingface/transformers')
    transformers.env.cacheDir = cacheDir
    transformers.env.logLevel = transformers.LogLevel.ERROR
    return transformers
  }

  function once<Model>(
    role: ModelRole,
    choice: ModelOf<'onnx'>,
    load: (source: string) => Promise<Model>,
  ): Promise<Model> {
    const key = JSON.stringify([choice.model, choice.task, choice.dtype, choice.pooling, choice.max_tokens])
    const known = loaded.get(key) as Promise<Model> | undefined
    if (known !== undefined) return known
    const loading = load(sourceOf(choice)).catch((cause: unknown) => {
      // A missing download can be repaired while the platform runs: the next call tries again.
      loaded.delete(key)
      throw new ModelCallError('not_configured', role, loadProblem(role, choice, cacheDir, cause), { cause })
    })
    loaded.set(key, loading)
    return loading
  }

  const keep = <Model extends Disposable>(model: Model): Model => {
    disposables.push(model)
    return model
  }

  return {
    library,
    embedder: (role, choice) =>
      once(role, choice, async (source) => {
        const { pipeline } = await library()
        const settings = await sentenceSettings(source)
        const { tokenizer, model } = keep(await pipeline('feature-extraction', source, { dtype: choice.dtype }))
        const maxTokens = tokenLimit(tokenizer, model, choice.max_tokens ?? settings.maxTokens)
        return { tokenizer, model, pooling: choice.pooling ?? settings.pooling, maxTokens }
      }),
    generator: (role, choice) =>
      once(role, choice, async (source) => {
        const { pipeline } = await library()
        return keep(await pipeline('text-generation', source, { dtype: choice.dtype }))
      }),
    crossEncoder: (role, choice) =>
      once(role, choice, async (source) => {
        const { AutoModelForSequenceClassification, AutoTokenizer } = await library()
        const tokenizer = await AutoTokenizer.from_pretrained(source)
        const model = keep(await AutoModelForSequenceClassification.from_pretrained(source, { dtype: choice.dtype }))
        return { tokenizer, model, maxTokens: tokenLimit(tokenizer, model, choice.max_tokens ?? null) }
      }),
    async close() {
      await Promise.allSettled(loaded.values())
      await Promise.all(disposables.splice(0).map((model) => model.dispose()))
    },
  }
}

/** What a model's makers define beside its network, in the files of sentence-transformers. */
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
function sourceOf(choice: ModelOf<'onnx'>): string {
  return existsSync(choice.model) ? resolve(choice.model) : choice.model
}

function loadProblem(role: ModelRole, choice: ModelOf<'onnx'>, cacheDir: string, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = existsSync(choice.model)
    ? `The folder must hold config.json, tokenizer.json and the ${choice.dtype} weights below onnx/`
    : `There is no such folder, and it could not be fetched from the hub or found in ${cacheDir}. ` +
      'Without a network, put the model files into a folder and name that folder in models.yaml, or choose the builtin set'
  return `The model "${choice.model}" of role ${role} cannot be loaded: ${reason}. ${advice}.`
}
