import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import { messageOf } from '../../../../core/json.ts'
import { VectorStoreUnavailableError } from './vector-store.ts'

/** An answer of Weaviate's REST API: its status and its JSON, null where the body is empty. */
export interface WeaviateAnswer {
  status: number
  body: unknown
}

/** The two interfaces of a Weaviate server that the vector store uses. */
export interface WeaviateClient {
  /** `path` begins after `/v1`. Any status is an answer; a server that cannot be reached or answers no JSON is `VectorStoreUnavailableError`. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<WeaviateAnswer>
  /** `data` of a GraphQL query. Its `errors` are a `VectorStoreUnavailableError`, as is any status but 200. */
  query(text: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** A page of a thousand chunks, or a search over long passages. */
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024
/** A batch of a hundred objects on a busy server. */
const TIMEOUT_MS = 60_000

export function weaviateClient(url: string, apiKey: string | null): WeaviateClient {
  const client = createHttpClient(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })

  async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<WeaviateAnswer> {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, limitBytes: ANSWER_LIMIT_BYTES }
      const { status, text } = await client.send(`${url}/v1${path}`, { method, json: body, ...limits })
      return { status, body: text === '' ? null : (JSON.parse(text) as unknown) }
    } catch (cause) {
      const reason = cause instanceof HttpFault ? cause.reason : messageOf(cause)
      const problem = `Weaviate at ${url} cannot be used: ${method} /v1${path}: ${reason}`
      throw new VectorStoreUnavailableError(problem, { cause })
    }
  }

  return {
    call,
    async query(text) {
      const answer = requireStatus(await call('POST', '/graphql', { query: text }), [200], 'a search')
      const { data, errors } = answer as { data?: unknown; errors?: readonly { message?: string }[] | null }
      if (errors !== undefined && errors !== null && errors.length > 0)
        throw new VectorStoreUnavailableError(`Weaviate refused a search: ${errors[0]!.message ?? 'no reason given'}`)
      return data as Record<string, unknown>
    },
    close: () => client.close(),
  }
}

/** The body of an answer whose status is expected; else `VectorStoreUnavailableError` with Weaviate's own reason and what to do. */
export function requireStatus({ status, body }: WeaviateAnswer, expected: readonly number[], what: string): unknown {
  if (expected.includes(status)) return body
  const remedy = status === 401 || status === 403 ? '. Set VECTOR_STORE_API_KEY to a key that may read and write' : ''
  throw new VectorStoreUnavailableError(`Weaviate answered ${what} with HTTP ${status}${reasonOf(body)}${remedy}`)
}

/** Its errors are `{"error": [{"message"}]}`, and `{"code", "message"}` where the key is refused. */
function reasonOf(body: unknown): string {
  const { error, message } = (body ?? {}) as { error?: readonly { message?: string }[]; message?: string }
  const text = Array.isArray(error) ? (error as { message?: string }[])[0]?.message : message
  return text === undefined ? '' : `: ${text}`
}

/** A text as a GraphQL string: its escapes are those of JSON, which allows half of a surrogate pair that GraphQL does not. */
export const graphqlText = (text: string): string => JSON.stringify(text.toWellFormed())
