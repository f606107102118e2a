// One descriptor per kind of model service that a connection of `manifests/models.yaml` can name: its usual address, how it is reached, and
// what it is known not to do. The test of a connection, the command line and the documentation read this table.
import { z } from 'zod'
import { ApiKeyVariable, Concurrency, type ModelOf, type ModelTask } from './model-backends.ts'

export interface ConnectionKindDescriptor {
  label: string
  /** Address with the version path, as the service's documentation gives it; null where there is none to propose. */
  usualAddress: string | null
  /** Environment variable that usually holds its key; null where it needs none as installed. */
  usualKey: string | null
  /** True when calls leave this machine and are paid for. */
  isCloud: boolean
  /** False where the service has no route for embeddings at all. */
  hasEmbeddings: boolean
  /** Listing models needs this header beside the bearer token. */
  listHeaders?: (key: string) => Readonly<Record<string, string>>
  /** What differs from OpenAI's own service, in one sentence with what to do. */
  quirk?: string
  /** Request fields of calls that generate text, unless the model sets them. */
  generationDefaults?: Readonly<Record<string, string>>
}

export const CONNECTION_KINDS = {
  ollama: {
    label: 'Ollama',
    usualAddress: 'http://127.0.0.1:11434/v1',
    usualKey: null,
    isCloud: false,
    hasEmbeddings: true,
    quirk: 'A model must be pulled before it is listed (ollama pull NAME). Prompts beyond its context length are cut.',
    // Models that reason by default would spend the whole answer on it; the others ignore the field.
    generationDefaults: { reasoning_effort: 'none' },
  },
  lmstudio: {
    label: 'LM Studio',
    usualAddress: 'http://127.0.0.1:1234/v1',
    usualKey: null,
    isCloud: false,
    hasEmbeddings: true,
    quirk: 'The server must be started on its Developer page, or by lms server start.',
  },
  'llama-cpp': {
    label: 'llama.cpp server',
    usualAddress: 'http://127.0.0.1:8080/v1',
    usualKey: null,
    isCloud: false,
    hasEmbeddings: true,
    quirk: 'It serves one model; embeddings need a server that was started with --embeddings.',
  },
  vllm: {
    label: 'vLLM',
    usualAddress: 'http://127.0.0.1:8000/v1',
    usualKey: null,
    isCloud: false,
    hasEmbeddings: true,
    quirk: 'It serves one model, for text or for embeddings.',
  },
  litellm: {
    label: 'LiteLLM proxy',
    usualAddress: 'http://127.0.0.1:4000/v1',
    usualKey: 'LITELLM_API_KEY',
    isCloud: true,
    hasEmbeddings: true,
    quirk: 'Its models usually run elsewhere, so calls count as cloud calls; set cloud: false where they do not.',
  },
  openai: {
    label: 'OpenAI',
    usualAddress: 'https://api.openai.com/v1',
    usualKey: 'OPENAI_API_KEY',
    isCloud: true,
    hasEmbeddings: true,
  },
  anthropic: {
    label: 'Anthropic',
    usualAddress: 'https://api.anthropic.com/v1',
    usualKey: 'ANTHROPIC_API_KEY',
    isCloud: true,
    hasEmbeddings: false,
    listHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    quirk:
      'Its OpenAI-compatible route may ignore response_format, and it has no embeddings: use another model for embed.',
  },
  gemini: {
    label: 'Gemini',
    usualAddress: 'https://generativelanguage.googleapis.com/v1beta/openai',
    usualKey: 'GEMINI_API_KEY',
    isCloud: true,
    hasEmbeddings: true,
  },
  compatible: {
    label: 'OpenAI-compatible service',
    usualAddress: null,
    usualKey: null,
    isCloud: false,
    hasEmbeddings: true,
  },
} as const satisfies Record<string, ConnectionKindDescriptor>

export const ConnectionKind = z.enum(
  Object.keys(CONNECTION_KINDS) as [keyof typeof CONNECTION_KINDS, ...(keyof typeof CONNECTION_KINDS)[]],
)
export type ConnectionKind = z.infer<typeof ConnectionKind>

export const connectionKind = (kind: ConnectionKind): ConnectionKindDescriptor => CONNECTION_KINDS[kind]

/** A model service that sets refer to by name. What is left out is as usual for its kind. */
export const Connection = z
  .strictObject({
    kind: ConnectionKind,
    /** With the version path, such as /v1. It may begin with a variable of the environment. */
    base_url: z.string().min(1).optional(),
    /** Environment variable that holds the key, never the key itself; null sends none. */
    api_key_env: ApiKeyVariable.nullable().optional(),
    timeout_s: z.number().positive().max(3600).optional(),
    /** Most calls of all its models at the same time; others wait for their turn. Unlimited unless set. */
    concurrency: Concurrency.optional(),
    /** True when calls leave this machine and are paid for. */
    cloud: z.boolean().optional(),
  })
  .refine(({ kind, base_url: address }) => address !== undefined || connectionKind(kind).usualAddress !== null, {
    path: ['base_url'],
    message: 'missing: this kind of service has no usual address',
  })
export type Connection = z.infer<typeof Connection>

/** The address of a connection, variables of the environment still in it. */
export const connectionAddress = ({ kind, base_url: address }: Connection): string =>
  address ?? connectionKind(kind).usualAddress!

/** The variable that holds a connection's key; null where none is sent. */
export const connectionKey = ({ kind, api_key_env: name }: Connection): string | null =>
  name === undefined ? connectionKind(kind).usualKey : name

/** A model of a connection, as sets name it. */
export const ConnectedModel = z.strictObject({
  backend: z.undefined().optional(),
  /** Name of a connection. */
  connection: z.string().min(1),
  /** Name by which the service knows the model. */
  model: z.string().min(1),
  timeout_s: z.number().positive().max(3600).optional(),
  defaults: z.record(z.string(), z.json()).optional(),
})
export type ConnectedModel = z.infer<typeof ConnectedModel>

/** Seconds for one call where nothing sets them: a service on this machine may load the model for it first. */
const USUAL_TIMEOUT_S = { cloud: 120, local: 420 }

/** The model that a name at a connection means for one kind of work. */
export function connectedModel(
  connection: Connection,
  { model, timeout_s: timeout, defaults }: ConnectedModel,
  task: ModelTask,
): ModelOf<'openai'> {
  const { isCloud, generationDefaults } = connectionKind(connection.kind)
  const cloud = connection.cloud ?? isCloud
  return {
    backend: 'openai',
    model,
    base_url: connectionAddress(connection),
    api_key_env: connectionKey(connection),
    timeout_s: timeout ?? connection.timeout_s ?? USUAL_TIMEOUT_S[cloud ? 'cloud' : 'local'],
    retries: 2,
    cloud,
    ...(connection.concurrency === undefined ? {} : { concurrency: connection.concurrency }),
    defaults: { ...(task === 'generation' ? generationDefaults : {}), ...defaults },
  }
}
