// One descriptor per model backend: the protocols and runtimes that a model of `manifests/models.yaml` can be served by. Validation of the
// manifest, selection, readiness, preflight, gateway, reports and pages read this table.
// To add one: a descriptor here, its file in providers/platform/models, its line in backends.ts there.
import { z } from 'zod'
import { Identifier } from '../common.ts'

/** Describes what kind of work a model does. */
export const ModelTask = z.enum(['embedding', 'rerank', 'generation'])
export type ModelTask = z.infer<typeof ModelTask>

/**
 * What another value of a setting can change. `vectors`, `replies` and `both` are part of the name that such vectors and texts are stored under; of an object
 * the members count one by one. These and `answers` are conditions of rows (decision 048). `time`: when an answer arrives, or whether one does.
 */
type Effect = 'vectors' | 'replies' | 'both' | 'answers' | 'time'

interface BackendDescriptor {
  /** Holds what a model of this backend declares in the manifest. */
  settings: z.ZodObject<{ backend: z.ZodLiteral<string>; model: z.ZodString }>
  /** The work that it can do; a model that declares a `task` does that one only. */
  tasks: readonly ModelTask[]
  /** States how a page calls a model of this machine; left out for a model at an address, which is a connection. */
  localLabel?: string
  /** Answers by rules, without a model: such figures are a baseline and rank nothing that needs judgement. */
  isRuleBased?: boolean
  /** `model` is the path of a file. It may hold variables of the environment, and reports show the file's name only. */
  isFile?: boolean
  /** `model` is a name or the path of a folder. A path may hold variables of the environment; it is shown by the folder's name only. */
  mayBeFolder?: boolean
  /** Every setting besides backend and model. */
  effects: Readonly<Record<string, Effect>>
  /** Of a service at `base_url`: what is asked below that address, without credentials, to see whether it is there. */
  healthPath?: string
}

/** Calls at the same time. */
export const MAX_MODEL_CALLS = 64
export const Concurrency = z.int().min(1).max(MAX_MODEL_CALLS)

/** Name of the environment variable that holds a key. */
export const ApiKeyVariable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable, never the secret itself')

/** Settings of a model service. Its address may begin with a variable of the environment; the key is named, never written. */
const atAddress = { base_url: z.string().min(1), api_key_env: ApiKeyVariable.nullable().default(null) }
const ADDRESS_EFFECTS = { base_url: 'answers', api_key_env: 'time' } as const

export const MODEL_BACKENDS = {
  builtin: {
    settings: z.strictObject({ backend: z.literal('builtin'), model: Identifier }),
    tasks: ModelTask.options,
    effects: {},
    localLabel: 'Built-in rules',
    isRuleBased: true,
  },
  /** Weights in a process of their own, by ONNX Runtime. Roles that name the same model with the same settings share one load. */
  onnx: {
    settings: z.strictObject({
      backend: z.literal('onnx'),
      /** A folder with the weights, or a hub id that is fetched into the cache at first use. */
      model: z.string().min(1),
      task: ModelTask,
      dtype: z.enum(['fp32', 'fp16', 'q8', 'q4']).default('q8'),
      /** Texts such as "query: " that some embedding models want in front of each side. */
      query_prefix: z.string().default(''),
      document_prefix: z.string().default(''),
      /** Of embeddings: how a text's tokens become one vector. Left out: as `1_Pooling/config.json` of the folder defines, else `mean`. */
      pooling: z.enum(['mean', 'cls']).optional(),
      /** Longest text of an embedding or pair of a reranker, in tokens; the rest is cut. Left out: the model's own limit. */
      max_tokens: z.int().min(8).max(1_000_000).optional(),
      max_new_tokens: z.int().min(1).max(8192).default(512),
    }),
    tasks: ModelTask.options,
    localLabel: 'ONNX folder or hub id',
    mayBeFolder: true,
    effects: {
      task: 'answers',
      dtype: 'both',
      query_prefix: 'vectors',
      document_prefix: 'vectors',
      pooling: 'vectors',
      max_tokens: 'vectors',
      max_new_tokens: 'replies',
    },
  },
  /** A GGUF file in a process of its own, by llama.cpp. Roles that name the same file with the same settings share one load. */
  gguf: {
    settings: z.strictObject({
      backend: z.literal('gguf'),
      /** Path of the .gguf file. */
      model: z.string().min(1),
      /** Tokens of prompt and answer together; null: what the model was trained with, at most 8192. */
      context_size: z.int().min(256).max(1_048_576).nullable().default(null),
      /** `auto` uses a graphics processor where a build for it is installed. */
      gpu: z.enum(['auto', 'off']).default('auto'),
      /** Null: one less than the machine has processors. More than are idle slow a model down many times over. */
      threads: z.int().min(1).max(256).nullable().default(null),
      /** Largest answer where a request names none. */
      max_new_tokens: z.int().min(1).max(131_072).default(2048),
      /** Time for one answer, from its turn to its last token. */
      timeout_s: z.number().positive().max(3600).default(600),
      /** States how long the model stays in memory after its last answer. */
      keep_alive_s: z.number().min(0).max(86_400).default(300),
      /** Most that its process may hold, in MiB; null: what is free when it is loaded. */
      memory_mib: z.int().min(64).nullable().default(null),
      /** Texts such as "query: " that some embedding models want in front of each side. */
      query_prefix: z.string().optional(),
      document_prefix: z.string().optional(),
    }),
    tasks: ['embedding', 'generation'],
    localLabel: 'GGUF file',
    isFile: true,
    effects: {
      context_size: 'both',
      gpu: 'answers',
      threads: 'time',
      max_new_tokens: 'replies',
      timeout_s: 'time',
      keep_alive_s: 'time',
      memory_mib: 'time',
      query_prefix: 'vectors',
      document_prefix: 'vectors',
    },
  },
  /** Any OpenAI-compatible service. */
  openai: {
    settings: z.strictObject({
      backend: z.literal('openai'),
      model: z.string().min(1),
      ...atAddress,
      timeout_s: z.number().positive().max(3600).default(120),
      retries: z.int().min(0).max(10).default(2),
      /** True when calls leave this machine and are paid for: counted as cloud calls. */
      cloud: z.boolean().default(false),
      /** Most calls at its address at the same time: the smallest number that a model there sets. */
      concurrency: Concurrency.optional(),
      /** Request fields added to each call of this model, such as a disabled thinking mode. */
      defaults: z.record(z.string(), z.json()).default({}),
    }),
    tasks: ['embedding', 'generation'],
    effects: {
      ...ADDRESS_EFFECTS,
      timeout_s: 'time',
      retries: 'time',
      cloud: 'answers',
      concurrency: 'time',
      defaults: 'both',
    },
    healthPath: '/models',
  },
  /** A service of Hugging Face's text-embeddings-inference (TEI), which serves one model: it either embeds or reranks. */
  tei: {
    settings: z.strictObject({
      backend: z.literal('tei'),
      model: z.string().min(1),
      ...atAddress,
      timeout_s: z.number().positive().max(3600).default(30),
      /** Texts such as "query: " that some embedding models want in front of each side. */
      query_prefix: z.string().optional(),
      document_prefix: z.string().optional(),
    }),
    tasks: ['embedding', 'rerank'],
    effects: { ...ADDRESS_EFFECTS, timeout_s: 'time', query_prefix: 'vectors', document_prefix: 'vectors' },
    healthPath: '/health',
  },
} as const satisfies Record<string, BackendDescriptor>

export type Backend = keyof typeof MODEL_BACKENDS
/** A declared model of one backend. */
export type ModelOf<Each extends Backend> = z.infer<(typeof MODEL_BACKENDS)[Each]['settings']>
export type ModelChoice = { [Each in Backend]: ModelOf<Each> }[Backend]

type Settings = (typeof MODEL_BACKENDS)[Backend]['settings']
export const BACKEND_SETTINGS = Object.values(MODEL_BACKENDS).map(({ settings }) => settings) as [
  Settings,
  ...Settings[],
]

const descriptorOf = (backend: Backend): BackendDescriptor => MODEL_BACKENDS[backend]

/** A model that is a service at an address. */
export type RemoteModel = Extract<ModelChoice, { base_url: string }>
export const isRemoteModel = (choice: ModelChoice): choice is RemoteModel => 'base_url' in choice
/** A model at a service of OpenAI's protocol: what it takes is learned from its answers and kept. */
export const isLearnedModel = (choice: ModelChoice): choice is ModelOf<'openai'> => isLearnedBackend(choice.backend)

/** Returns true for a backend whose models have a record of what calls have taught. */
export const isLearnedBackend = (backend: string): boolean => backend === 'openai'

/** Backends of models of this machine, which need no address. */
export const LOCAL_BACKENDS: readonly Backend[] = (Object.keys(MODEL_BACKENDS) as Backend[]).filter(
  (backend) => descriptorOf(backend).localLabel !== undefined,
)

export const localLabel = (backend: Backend): string => descriptorOf(backend).localLabel ?? backend

/** Returns true when a backend can do a kind of work. */
export const canDo = (backend: Backend, task: ModelTask): boolean => descriptorOf(backend).tasks.includes(task)

/** A model of this machine as a set declares it; a backend that does several kinds of work is asked for the one. */
export const localModel = (backend: Backend, model: string, task: ModelTask) => ({
  backend,
  model,
  ...('task' in MODEL_BACKENDS[backend].settings.shape ? { task } : {}),
})

/** A model's name in rows, reports and lists of models: of a file or folder its name, because its path belongs to one machine. */
export function modelNameOf({ backend, model }: ModelChoice): string {
  const { isFile, mayBeFolder } = descriptorOf(backend)
  if (isFile === true) return model.replace(/^.*[\\/]/, '').replace(/\.gguf$/i, '')
  return mayBeFolder === true && PATH.test(model) ? model.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '') : model
}

/** A path, absolute or in the project: no hub id begins with a dot. */
const PATH = /^(?:[./]|[A-Za-z]:[\\/]|\\\\)/

/**
 * The name of a model as an embedding, with every setting that changes its vectors: vectors of two spaces cannot be compared. Collections and
 * stored vectors carry it. The number of dimensions is left out, because vectors show it themselves.
 */
export function embeddingSpaceOf(choice: ModelChoice): string {
  const isDimension = (member: string): boolean => member === 'dimensions'
  return withSettings(choice, 'vectors', isDimension)
}

/** The name of a generating model with every setting that changes what it writes: texts of two such models are not interchangeable. */
export const writerOf = (choice: ModelChoice): string => withSettings(choice, 'replies', () => false)

/** The settings of a model that can change an answer, as declared. */
export function conditionsOf(choice: ModelChoice) {
  const { effects } = descriptorOf(choice.backend)
  return Object.fromEntries(
    Object.entries(choice).filter(([name]) => Object.hasOwn(effects, name) && effects[name] !== 'time'),
  )
}

function withSettings(
  choice: ModelChoice,
  changed: 'vectors' | 'replies',
  isLeftOut: (member: string) => boolean,
): string {
  const { effects } = descriptorOf(choice.backend)
  const given = Object.entries(choice).flatMap(([name, value]: [string, unknown]) => {
    if (effects[name] !== changed && effects[name] !== 'both') return []
    if (typeof value !== 'object' || value === null) return [[name, value] as const]
    return Object.entries(value).filter(([member]) => !isLeftOut(member))
  })
  const settings = given
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return [modelNameOf(choice), ...(settings.length === 0 ? [] : [`(${settings.sort().join(', ')})`])].join(' ')
}

/** Returns true when `model` is a path on this machine, which may hold variables. */
export function isModelPath({ backend, model }: ModelChoice): boolean {
  const { isFile, mayBeFolder } = descriptorOf(backend)
  return isFile === true || (mayBeFolder === true && model.includes('${'))
}

/** True for a folder of the project, as the model set names it. */
export const isProjectFolder = ({ backend, model }: ModelChoice): boolean =>
  descriptorOf(backend).mayBeFolder === true && model.startsWith('.')

/** True when calls of the model leave this machine and are paid for. */
export const isCloudModel = (choice: ModelChoice): boolean => 'cloud' in choice && choice.cloud

/** Returns true when a backend, as provenance names it, answers by rules; false for one that this version does not have. */
export const isRuleBased = (backend: string): boolean =>
  Object.hasOwn(MODEL_BACKENDS, backend) && descriptorOf(backend as Backend).isRuleBased === true

/** Returns true when a backend, as a model set names it, is a service at an address; its models are not files on this machine. */
export const isService = (backend: string): boolean =>
  Object.hasOwn(MODEL_BACKENDS, backend) && descriptorOf(backend as Backend).localLabel === undefined

/** The address that shows whether a model service is there. */
export const healthAddressOf = ({ backend, base_url }: RemoteModel): string =>
  `${base_url.replace(/\/+$/, '')}${descriptorOf(backend).healthPath ?? ''}`

const TASK_VERBS: Readonly<Record<ModelTask, string>> = {
  embedding: 'embed texts',
  rerank: 'rerank',
  generation: 'generate text',
}

/** Why a declared model cannot do a kind of work; null when it can. */
export function unsuitable(task: ModelTask, choice: ModelChoice): string | null {
  if ('task' in choice) return choice.task === task ? null : `the role needs the task ${task}, not ${choice.task}`
  if (descriptorOf(choice.backend).tasks.includes(task)) return null
  const able = (Object.keys(MODEL_BACKENDS) as Backend[]).filter((each) => descriptorOf(each).tasks.includes(task))
  return `the ${choice.backend} backend cannot ${TASK_VERBS[task]}; use ${able.slice(0, -1).join(', ')} or ${able.at(-1)!}`
}
