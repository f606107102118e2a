import type { TokenUsage } from '../../contract/evidence/canonical-row.ts'
import type { ChatCompletion, ToolCall } from '../../contract/http/chat.ts'
import type { ModelRole } from '../../contract/manifests/models.ts'
import { embedText } from '../../providers/platform/models/builtin/embedding/embed-text.ts'
import type { ChatRole, ModelHost, RoleChatRequest } from '../../providers/platform/models/model-host.ts'

/** Describes what a scripted model replies: its text, a text with a usage report, calls of tools, or the error it fails with. */
export type FakeReply =
  | string
  | null
  | Error
  | { text: string | null; usage: TokenUsage }
  | { toolCalls: ToolCall[]; text?: string }

/** A tool call as a model writes it; `given` as JSON unless it is a text already. */
export const toolCall = (name: string, given: unknown, id = `call-${name}`): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
})

export interface FakeModelHostOptions {
  chat?: (role: ChatRole, request: RoleChatRequest, call: number) => FakeReply | Promise<FakeReply>
  embed?: (text: string) => Float32Array
  /** Replaces the whole answer of an embedding call, for wrong counts and failures. */
  embedAll?: (texts: readonly string[]) => Float32Array[] | Error
  rerank?: (query: string, texts: readonly string[]) => number[] | Error
  cloud?: readonly ModelRole[]
  builtin?: readonly ModelRole[]
  /** Roles that no model serves. */
  absent?: readonly ModelRole[]
  models?: Partial<Record<ModelRole, string>>
}

export interface FakeCall {
  kind: 'chat' | 'embed' | 'rerank'
  role: ModelRole
  /** Texts of an embedding or rerank call, messages of a chat call. */
  size: number
  request: RoleChatRequest | null
}

/** A model host whose answers a test writes; embeddings are the rule-based ones unless it sets others. Keeps every call. */
export interface FakeModelHost extends ModelHost {
  readonly calls: FakeCall[]
}

function completion(text: string | null, usage?: TokenUsage, toolCalls?: ToolCall[]): ChatCompletion {
  const message = {
    role: 'assistant' as const,
    content: text,
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  }
  return {
    id: 'fake',
    object: 'chat.completion',
    created: 0,
    model: 'fake',
    choices: [{ index: 0, finish_reason: toolCalls === undefined ? 'stop' : 'tool_calls', message }],
    ...(usage === undefined ? {} : { usage }),
  }
}

/** Words that query and text share: enough to order passages in a test. */
const overlap = (query: string, text: string): number => {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu))
  return (query.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => words.has(word)).length
}

export function fakeModelHost(options: FakeModelHostOptions = {}): FakeModelHost {
  const calls: FakeCall[] = []
  const modelName = (role: ModelRole) => options.models?.[role] ?? `fake-${role}`
  const roles: ModelRole[] = [
    'embed',
    'rerank',
    'light_gen',
    'contextual_blurb',
    'agentic',
    'graph_extract',
    'graph_keyword',
    'graph_query',
    'workflow_classifier',
    'evaluator',
    'evaluator_embed',
  ]
  const present = roles.filter((role) => options.absent?.includes(role) !== true)
  return {
    calls,
    async embed(role, texts, _side, signal) {
      calls.push({ kind: 'embed', role, size: texts.length, request: null })
      signal?.throwIfAborted()
      const all = options.embedAll?.(texts) ?? texts.map((text) => (options.embed ?? embedText)(text))
      if (all instanceof Error) throw all
      return all
    },
    async chat(role, request, signal) {
      calls.push({ kind: 'chat', role, size: request.messages.length, request })
      signal?.throwIfAborted()
      const nth = calls.filter(({ kind }) => kind === 'chat').length
      const reply = options.chat === undefined ? 'An answer.' : await options.chat(role, request, nth)
      if (reply instanceof Error) throw reply
      if (reply === null || typeof reply === 'string') return completion(reply)
      if ('toolCalls' in reply) return completion(reply.text ?? null, undefined, reply.toolCalls)
      return completion(reply.text, reply.usage)
    },
    async rerank(query, texts, signal) {
      calls.push({ kind: 'rerank', role: 'rerank', size: texts.length, request: null })
      signal?.throwIfAborted()
      const scores = options.rerank?.(query, texts) ?? texts.map((text) => overlap(query, text))
      if (scores instanceof Error) throw scores
      return scores
    },
    isCloud: (role) => options.cloud?.includes(role) === true,
    isBuiltin: (role) => options.builtin?.includes(role) === true,
    modelName,
    writer: (role) => modelName(role),
    embeddingSpace: () => modelName('embed'),
    resolved: () => ({
      set: 'fake',
      roles: Object.fromEntries(present.map((role) => [role, { backend: 'fake', model: modelName(role) }])),
    }),
    modelUsage: () => [],
    usage: () =>
      Object.fromEntries(
        Map.groupBy(calls, ({ role }) => role)
          .entries()
          .map(([role, list]) => [role, list.length]),
      ),
    close: async () => undefined,
  }
}
