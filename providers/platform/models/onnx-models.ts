import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type {
  FeatureExtractionPipeline,
  PreTrainedModel,
  PreTrainedTokenizer,
  TextGenerationPipeline,
} from '@huggingface/transformers'
import type { ModelRole, ModelOf } from '../../../contract/index.ts'
import { ModelCallError } from './model-host.ts'

/** A loaded cross-encoder: scores pairs of texts. */
export interface CrossEncoder {
  tokenizer: PreTrainedTokenizer
  model: PreTrainedModel
}

/** Loads weights once each, however many roles use them; from a local folder, else by hub id through `cacheDir`. */
export interface OnnxModels {
  library(): Promise<typeof import('@huggingface/transformers')>
  embedder(role: ModelRole, choice: ModelOf<'onnx'>): Promise<FeatureExtractionPipeline>
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
    const key = JSON.stringify([choice.model, choice.task, choice.dtype])
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
        return keep(await pipeline('feature-extraction', source, { dtype: choice.dtype }))
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
        return {
          tokenizer,
          model: keep(await AutoModelForSequenceClassification.from_pretrained(source, { dtype: choice.dtype })),
        }
      }),
    async close() {
      await Promise.allSettled(loaded.values())
      await Promise.all(disposables.splice(0).map((model) => model.dispose()))
    },
  }
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
