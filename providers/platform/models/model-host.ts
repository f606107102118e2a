// The model host is the one place that model calls go through. In: a role (answer, embed, rerank, grade, …) and a request. Out: a completion, vectors or
// scores; a `ModelCallError` when the model cannot answer. Callers know roles, never a model, a key or an address.
//   1. create-model-host.ts resolves each role of the model set to a backend, and counts the calls.
//   2. backends.ts makes the backends (model-backend.ts); limited-calls.ts bounds how many calls each takes at once.
//   3. openai/, tei/, gguf/ and onnx/ talk to services and weights; builtin-backend.ts answers by the rules in builtin/, a baseline without a model.
//   4. prompts/ has one file for each task: what the model is asked, and how its reply is read. ask-for-json.ts asks again for a reply that is not JSON.
//   5. model-error-response.ts decides what a caller learns of a failure.
// This file has the interface that approaches, ingestion and evaluator see, and no backend.
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { ResolvedModels } from '../../../contract/evidence/provenance.ts'
import type { ChatCompletion, ChatRequest } from '../../../contract/http/chat.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'

/** Describes how many passages a collection holds, and how many of them hold each content word of a query, in lower case. */
export interface TermStatistics {
  passages: number
  holding: ReadonlyMap<string, number>
}

/** Describes what a search knows of the candidates that it has reranked, beyond their texts. Models that read texts only ignore it. */
export interface RerankPool {
  statistics?: TermStatistics
  /** For each text, in their order: the document that it is from, how many passages are before it there, where known, and its score in the search. */
  candidates: readonly { document: string; chunkIndex?: number; score: number }[]
}

/** Which side of a search a text is: some embedding models take it. */
export type EmbeddingSide = 'query' | 'document'

/** Roles that answer in chat form. */
export type ChatRole = Exclude<ModelRole, 'embed' | 'evaluator_embed' | 'rerank'>

export type EmbeddingRole = Extract<ModelRole, 'embed' | 'evaluator_embed'>

/** Receives the text of an answer piece by piece, without reasoning; the pieces together are a beginning of the answer. */
export type OnText = (piece: string) => void

/** A chat request as a role's caller writes it; the host adds the model and its declared defaults. Other fields are passed on. */
export interface RoleChatRequest {
  messages: ChatRequest['messages']
  temperature?: number
  max_tokens?: number
  tools?: ChatRequest['tools']
  response_format?: ChatRequest['response_format']
  think?: ChatRequest['think']
  /** JSON schema of the reply that the caller expects: a backend that can hold a model to it does, the others leave it out. */
  reply_schema?: object
  [field: string]: unknown
}

/** Receives the tokens of a call; estimated where the service reports none. */
export type OnTokens = (tokens: number, how?: { isEstimated: boolean }) => void

/**
 * The one place that model calls go through: resolves a role to its backend and counts each call.
 * Every method throws `ModelCallError` when the model cannot answer.
 */
export interface ModelHost {
  /**
   * Unit-length vectors in the order of the texts; all of one dimension. `statistics` of the collection that a query is for; `onTokens` receives the
   * tokens of all texts.
   */
  embed(
    role: EmbeddingRole,
    texts: readonly string[],
    side: EmbeddingSide,
    signal?: AbortSignal,
    statistics?: TermStatistics,
    onTokens?: OnTokens,
  ): Promise<Float32Array[]>
  /** The whole answer; `onText` receives its pieces before, from a model that gives them as it generates. */
  chat(role: ChatRole, request: RoleChatRequest, signal?: AbortSignal, onText?: OnText): Promise<ChatCompletion>
  /** Raw relevance scores (logits) in the order of the texts. */
  rerank(query: string, texts: readonly string[], signal?: AbortSignal, pool?: RerankPool): Promise<number[]>
  /** True when this role's model is declared as a paid service outside this machine. */
  isCloud(role: ModelRole): boolean
  /** True when the role is served by the rule-based backend, which needs no prompt round trip for critics. */
  isBuiltin(role: ModelRole): boolean
  modelName(role: ModelRole): string
  /** The model of a role that writes text, with every setting that changes what it writes. */
  writer(role: ChatRole): string
  /** Returns what vectors of role `embed` can be compared with: its model and every setting that changes them. Collections carry it. */
  embeddingSpace(): string
  resolved(): ResolvedModels
  /** Calls since the start, by role. */
  usage(): Record<string, number>
  /** Returns what each model used since the start; rules are left out. */
  modelUsage(): ModelUsage[]
  close(): Promise<void>
}

export type ModelCallErrorCode =
  | 'unknown_model'
  | 'bad_request'
  | 'unauthorized'
  | 'context_length_exceeded'
  | 'rate_limited'
  | 'timeout'
  | 'unreachable'
  | 'upstream_error'
  | 'invalid_response'
  | 'content_filtered'
  | 'refused'
  | 'not_configured'

/**
 * A model call that failed after its retries. `status` is the upstream's HTTP status where there was one, `retryAfterMs` the pause that it asked
 * for. The message is for the log: it can hold the upstream's address. Callers get `reasonOf`, which ends with `detail`, words of this program such
 * as the numbers of a prompt that is too long or the address of a web page, else with `said`, the upstream's own sentence without credentials and addresses.
 */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError'
  readonly code: ModelCallErrorCode
  readonly role: ModelRole
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly detail: string | null
  /** True where a web page came in place of an answer. */
  readonly isPage: boolean
  /** States what the service said, and the field of the request that it named. */
  readonly said: { text: string; param: string | null } | null

  constructor(
    code: ModelCallErrorCode,
    role: ModelRole,
    message: string,
    options: {
      status?: number | null
      retryAfterMs?: number | null
      detail?: string | undefined
      isPage?: boolean
      said?: ModelCallError['said']
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.role = role
    this.status = options.status ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.detail = options.detail ?? null
    this.isPage = options.isPage ?? false
    this.said = options.said ?? null
  }
}

/** True where a prompt does not fit into the window of its model. */
export const isTooLong = (error: unknown): error is ModelCallError =>
  error instanceof ModelCallError && error.code === 'context_length_exceeded'
