// One descriptor per kind of model service that a connection of `manifests/models.yaml` can name: its usual address, how it is reached, and
// what it is known not to do. The test of a connection, the command line and the documentation read this table.
import { z } from 'zod'
import { ApiKeyVariable, Concurrency, type ModelOf, type ModelTask } from './model-backends.ts'

interface ConnectionKindDescriptor {
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
  /** Holds what differs from OpenAI's own service, in one sentence with what to do. */
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
    /** `stored`: each person has stored the key on their computer (`rag-ladder models key set NAME`), and no variable is read. */
    api_key: z.literal('stored').optional(),
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

/** The variable that holds a connection's key, unless it is stored; null where none is sent. */
export const connectionKey = ({ kind, api_key_env: name }: Connection): string | null =>
  name === undefined ? connectionKind(kind).usualKey : name

export const hasStoredKey = ({ api_key: place }: Connection): boolean => place === 'stored'

// A stored key reaches the platform as an environment variable of its process, which the program fills: one with the key, one with the origin that
// the key was entered for. The key goes to that origin only.
const STORED_KEY = 'RAG_LADDER_CONNECTION_KEY_'
const STORED_KEY_ORIGIN = 'RAG_LADDER_CONNECTION_ORIGIN_'

/** Windows ignores case in names of variables, so all but lower-case letters and digits are written as hexadecimal codes. */
const encoded = (name: string): string =>
  name.replace(/[^a-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16).padStart(2, '0')}`).toUpperCase()

/** The variables by which the key of a connection reaches the platform. */
export const storedKeyVariables = (connection: string): { key: string; origin: string } => ({
  key: STORED_KEY + encoded(connection),
  origin: STORED_KEY_ORIGIN + encoded(connection),
})

/** The connection whose stored key a variable holds; null for any other variable. */
export const connectionOfStoredKey = (variable: string): string | null =>
  variable.startsWith(STORED_KEY)
    ? variable
        .slice(STORED_KEY.length)
        .toLowerCase()
        .replace(/_([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : null

/** A model of a connection, as sets name it. */
export const ConnectedModel = z.strictObject({
  backend: z.undefined().optional(),
  connection: z.string().min(1),
  /** Name by which the service knows the model. */
  model: z.string().min(1),
  timeout_s: z.number().positive().max(3600).optional(),
  defaults: z.record(z.string(), z.json()).optional(),
})
export type ConnectedModel = z.infer<typeof ConnectedModel>

/** Seconds for one call where nothing sets them: a service on this machine may load the model for it first. */
export const usualTimeoutS = (isCloud: boolean): number => (isCloud ? 120 : 420)

const NEAR_HOST =
  /^(?:localhost|\[::1\]|127(?:\.\d+){3}|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|169\.254(?:\.\d+){2}|\[f[cde][0-9a-f:]+\]|[^.:]+|.+\.(?:local|internal|lan|home\.arpa|localhost))$/i

/** Returns true when an address is of this machine or of a private network; true while it is none or begins with a variable, which could be either. */
export function isNearAddress(address: string): boolean {
  const host = /^https?:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(address)?.[1]
  return host === undefined || NEAR_HOST.test(host)
}

/** The model that a name at a connection means for one kind of work. */
export function connectedModel(
  connection: Connection,
  { connection: name, model, timeout_s: timeout, defaults }: ConnectedModel,
  task: ModelTask,
): ModelOf<'openai'> {
  const { isCloud, generationDefaults } = connectionKind(connection.kind)
  const cloud = connection.cloud ?? isCloud
  return {
    backend: 'openai',
    model,
    base_url: connectionAddress(connection),
    api_key_env: hasStoredKey(connection) ? storedKeyVariables(name).key : connectionKey(connection),
    timeout_s: timeout ?? connection.timeout_s ?? usualTimeoutS(cloud),
    retries: 2,
    cloud,
    ...(connection.concurrency === undefined ? {} : { concurrency: connection.concurrency }),
    defaults: { ...(task === 'generation' ? generationDefaults : {}), ...defaults },
  }
}
