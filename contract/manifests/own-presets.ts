// States how known RAG servers are asked and where their replies hold answer and passages: one entry per server. A path is made of names, `[]` (every entry of
// a list, or value of an object), `[0]`, and `[name=value]` (entries whose field has that value); of several paths the first that finds something counts.
import { z } from 'zod'

const PATH = /^(?:(?:[^.[\]]+|\[\]|\[-?\d+\]|\[[^=\]]+=[^\]]*\])(?:\.(?=[^.[])|(?=\[)|$))+$|^$/
const Path = z.string().max(200).regex(PATH, 'expected a path such as choices[0].message.content or sources[].text')
const Paths = z.union([Path, z.array(Path).min(1).max(5)])

/** Signs in an answer that point to passages: they are taken out, because they are no words of the answer. */
export const MARKERS = ['id', 'doc', 'number', 'references'] as const

export const ReplyMapping = z.strictObject({
  /** Several texts at one path are joined. Null for a service that only finds passages. */
  answer: Paths.nullable().default(null),
  /** Null for a service that reports no passages. */
  contexts: z
    .strictObject({
      list: Paths,
      /** Paths within an entry of the list; the empty path is the entry itself. Where `text` finds several, the other fields are paired with them. */
      text: Paths,
      title: Paths.optional(),
      document: Paths.optional(),
      score: Paths.optional(),
      /** Tells what a reply without the list means: it was not asked for, or nothing was found. */
      missing: z.enum(['fail', 'none']).default('fail'),
      /** True for a service that returns the passages that it cites and not all that it retrieved. */
      cited_only: z.boolean().default(false),
    })
    .nullable()
    .default(null),
  usage: z.strictObject({ prompt: Path, completion: Path }).nullable().default(null),
  /** A value there, other than null, false, 0 and an empty text, is a failure whatever the status of the reply. */
  error: z.array(Path).max(10).default(['error']),
  /** An answer that begins with it is a failure. */
  error_prefix: z.string().min(1).max(100).nullable().default(null),
  /** A failure of a retriever with this text means that nothing was found. */
  nothing_found: z.string().min(1).max(200).nullable().default(null),
  markers: z.array(z.enum(MARKERS)).default([]),
})
export type ReplyMapping = z.output<typeof ReplyMapping>

const { answer, contexts, usage: usageOf, error, error_prefix, nothing_found, markers } = ReplyMapping.shape
/** Fields that replace those of a mapping; one that is absent replaces nothing. */
export const ReplyChange = z.strictObject({
  answer: answer.unwrap().optional(),
  contexts: contexts.unwrap().optional(),
  usage: usageOf.unwrap().optional(),
  error: error.unwrap().optional(),
  error_prefix: error_prefix.unwrap().optional(),
  nothing_found: nothing_found.unwrap().optional(),
  markers: markers.unwrap().optional(),
})

export interface Preset {
  kind: 'chat' | 'retriever'
  about: string
  path: string
  body: Record<string, z.core.util.JSONType>
  reply: z.input<typeof ReplyMapping>
}

const messages = [{ role: 'user', content: '{{question}}' }]
const usage = { prompt: 'usage.prompt_tokens', completion: 'usage.completion_tokens' }
const content = 'choices[0].message.content'

export const OWN_PRESETS = {
  'rag-extension': {
    kind: 'chat',
    about: 'OpenAI-compatible, with this program’s rag_extension; set model in body',
    path: '/v1/chat/completions',
    body: { messages, stream: false },
    reply: {
      answer: ['rag_extension.answer', content],
      contexts: {
        list: 'rag_extension.sources[]',
        text: ['text', 'snippet'],
        title: 'title',
        document: 'document',
        score: 'score',
      },
      usage,
    },
  },
  openai: {
    kind: 'chat',
    about: 'OpenAI-compatible without passages; set model in body',
    path: '/v1/chat/completions',
    body: { messages, stream: false },
    reply: { answer: content, usage },
  },
  'openai-citations': {
    kind: 'chat',
    about: 'Azure OpenAI On Your Data; set data_sources in body and deployment in settings',
    path: '/openai/deployments/{{deployment}}/chat/completions?api-version=2024-05-01-preview',
    body: { messages, stream: false },
    reply: {
      answer: content,
      contexts: {
        list: 'choices[0].message.context.citations[]',
        text: 'content',
        title: ['title', 'filepath'],
        document: ['filepath', 'url'],
        cited_only: true,
      },
      usage,
      markers: ['doc'],
    },
  },
  'openai-file-search': {
    kind: 'chat',
    about: 'OpenAI Responses with file_search; set model in body and vector_store in settings',
    path: '/v1/responses',
    body: {
      input: '{{question}}',
      tools: [{ type: 'file_search', vector_store_ids: ['{{vector_store}}'] }],
      // Without it the passages are not in the reply.
      include: ['file_search_call.results'],
    },
    reply: {
      answer: 'output[type=message].content[type=output_text].text',
      contexts: {
        list: 'output[type=file_search_call].results[]',
        text: 'text',
        title: 'filename',
        document: 'filename',
        score: 'score',
      },
      usage: { prompt: 'usage.input_tokens', completion: 'usage.output_tokens' },
    },
  },
  lightrag: {
    kind: 'chat',
    about: 'LightRAG server',
    path: '/query',
    body: { query: '{{question}}', mode: 'mix', include_chunk_content: true },
    reply: {
      answer: 'response',
      contexts: { list: 'references[]', text: 'content[]', title: 'file_path', document: 'file_path' },
      error: ['error', 'detail'],
      markers: ['references'],
    },
  },
  'lightrag-data': {
    kind: 'retriever',
    about: 'LightRAG server, its passages alone',
    path: '/query/data',
    body: { query: '{{question}}', mode: 'mix' },
    reply: {
      contexts: { list: 'data.chunks[]', text: 'content', title: 'file_path', document: 'file_path' },
      error: ['error', '[status=failure].message'],
      nothing_found: 'Query returned no results',
    },
  },
  ragflow: {
    kind: 'chat',
    about: 'RAGFlow assistant; set chat_id in settings',
    path: '/api/v1/openai/{{chat_id}}/chat/completions',
    body: { model: 'model', messages, stream: false, extra_body: { reference: true } },
    reply: {
      answer: content,
      contexts: {
        list: ['choices[0].message.reference.chunks[]', 'choices[0].message.reference[]'],
        text: 'content',
        title: 'document_name',
        document: 'document_name',
        score: 'similarity',
      },
      // Its counts hold the size of the history and are not those of a price.
      error: ['code', 'error'],
      error_prefix: '**ERROR**',
      markers: ['id'],
    },
  },
  'ragflow-retrieval': {
    kind: 'retriever',
    about: 'RAGFlow, its passages alone; set dataset_ids in body',
    path: '/api/v1/retrieval',
    body: { question: '{{question}}', page_size: '{{k}}' },
    reply: {
      contexts: {
        list: 'data.chunks[]',
        text: 'content',
        title: 'document_keyword',
        document: 'document_keyword',
        score: 'similarity',
      },
      error: ['code'],
    },
  },
  dify: {
    kind: 'chat',
    about: 'Dify chat app; agents stream only: use dify-agent',
    path: '/v1/chat-messages',
    body: { query: '{{question}}', inputs: {}, response_mode: 'blocking', user: 'rag-ladder-{{uuid}}' },
    reply: {
      answer: 'answer',
      contexts: {
        list: 'metadata.retriever_resources[]',
        text: 'content',
        title: 'document_name',
        document: 'document_name',
        score: 'score',
        missing: 'none',
      },
      usage: { prompt: 'metadata.usage.prompt_tokens', completion: 'metadata.usage.completion_tokens' },
      error: ['code'],
    },
  },
  'dify-agent': {
    kind: 'chat',
    about: 'Dify agent, which streams',
    path: '/v1/chat-messages',
    body: { query: '{{question}}', inputs: {}, response_mode: 'streaming', user: 'rag-ladder-{{uuid}}' },
    reply: {
      answer: ['events[event=agent_message].answer', 'events[event=message].answer'],
      contexts: {
        list: 'events[event=message_end].metadata.retriever_resources[]',
        text: 'content',
        title: 'document_name',
        document: 'document_name',
        score: 'score',
        missing: 'none',
      },
      error: ['events[event=error].message', 'code'],
    },
  },
  'dify-retrieval': {
    kind: 'retriever',
    about: 'Dify knowledge base; set dataset_id in settings',
    path: '/v1/datasets/{{dataset_id}}/retrieve',
    body: { query: '{{question}}' },
    reply: {
      contexts: {
        list: 'records[]',
        text: 'segment.content',
        title: 'segment.document.name',
        document: 'segment.document.name',
        score: 'score',
      },
      error: ['code'],
    },
  },
  openwebui: {
    kind: 'chat',
    about: 'Open WebUI; set model and files in body',
    path: '/api/chat/completions',
    body: { messages, stream: false },
    reply: {
      answer: content,
      contexts: {
        list: 'sources[]',
        text: 'document[]',
        title: ['metadata[].name', 'source.name'],
        document: ['metadata[].name', 'source.name'],
        score: 'distances[]',
        // The field is absent where nothing was found.
        missing: 'none',
      },
      usage,
      error: ['error', 'detail'],
      markers: ['number'],
    },
  },
  anythingllm: {
    kind: 'chat',
    about: 'AnythingLLM workspace; set workspace in settings',
    path: '/api/v1/workspace/{{workspace}}/chat',
    body: { message: '{{question}}', mode: 'query', sessionId: '{{uuid}}' },
    reply: {
      answer: 'textResponse',
      contexts: { list: 'sources[]', text: ['text', 'chunk'], title: 'title', document: 'title', score: 'score' },
      usage: { prompt: 'metrics.prompt_tokens', completion: 'metrics.completion_tokens' },
      error: ['error'],
    },
  },
  'anythingllm-search': {
    kind: 'retriever',
    about: 'AnythingLLM workspace, its passages alone; set workspace in settings',
    path: '/api/v1/workspace/{{workspace}}/vector-search',
    body: { query: '{{question}}', topN: '{{k}}' },
    reply: {
      contexts: {
        list: 'results[]',
        text: 'text',
        title: 'metadata.title',
        document: 'metadata.title',
        score: 'score',
      },
    },
  },
  r2r: {
    kind: 'chat',
    about: 'R2R',
    path: '/v3/retrieval/rag',
    body: { query: '{{question}}' },
    reply: {
      answer: 'results.generated_answer',
      contexts: {
        list: 'results.search_results.chunk_search_results[]',
        text: 'text',
        title: ['metadata.title', 'document_id'],
        document: ['metadata.title', 'document_id'],
        score: 'score',
      },
      error: ['error_type'],
    },
  },
  'r2r-search': {
    kind: 'retriever',
    about: 'R2R, its passages alone',
    path: '/v3/retrieval/search',
    body: { query: '{{question}}', search_settings: { limit: '{{k}}' } },
    reply: {
      contexts: {
        list: 'results.chunk_search_results[]',
        text: 'text',
        title: ['metadata.title', 'document_id'],
        document: ['metadata.title', 'document_id'],
        score: 'score',
      },
      error: ['error_type'],
    },
  },
  onyx: {
    kind: 'chat',
    about: 'Onyx; its passages are the beginnings of documents',
    path: '/api/chat/send-chat-message',
    body: { message: '{{question}}', stream: false },
    reply: {
      answer: ['answer_citationless', 'answer'],
      contexts: {
        list: 'top_documents[]',
        text: 'blurb',
        title: 'semantic_identifier',
        document: 'semantic_identifier',
        score: 'score',
      },
      error: ['error_msg', 'error_code'],
      markers: ['number'],
    },
  },
  'onyx-search': {
    kind: 'retriever',
    about: 'Onyx, its passages alone',
    path: '/api/search',
    body: { query: '{{question}}' },
    reply: {
      contexts: { list: 'results[]', text: 'content', title: 'title', document: 'title' },
      error: ['error_code'],
    },
  },
  vectara: {
    kind: 'chat',
    about: 'Vectara; set corpus_key in settings',
    path: '/v2/query',
    body: {
      query: '{{question}}',
      search: { corpora: [{ corpus_key: '{{corpus_key}}' }], limit: 10 },
      generation: { citations: { style: 'none' } },
      stream_response: false,
    },
    reply: {
      answer: 'summary',
      contexts: {
        list: 'search_results[]',
        text: 'text',
        title: ['document_metadata.title', 'document_id'],
        document: 'document_id',
        score: 'score',
      },
      error: ['field_errors', 'messages[]'],
    },
  },
  cohere: {
    kind: 'chat',
    about: 'Cohere chat over the documents in body; set model and documents there',
    path: '/v2/chat',
    body: { messages },
    reply: {
      answer: 'message.content[type=text].text',
      contexts: {
        list: 'message.citations[].sources[]',
        text: ['document.text', 'document.snippet', 'document.data'],
        title: ['document.title', 'id'],
        document: 'id',
        missing: 'none',
        cited_only: true,
      },
      usage: { prompt: 'usage.tokens.input_tokens', completion: 'usage.tokens.output_tokens' },
    },
  },
  langserve: {
    kind: 'chat',
    about: 'LangServe chain; url ends with its route',
    path: '/invoke',
    body: { input: '{{question}}', config: {} },
    reply: {
      answer: ['output.answer', 'output.result', 'output'],
      contexts: {
        list: ['output.context[]', 'output.source_documents[]'],
        text: 'page_content',
        title: ['metadata.title', 'metadata.source'],
        document: 'metadata.source',
      },
      error: ['detail'],
    },
  },
  'create-llama': {
    kind: 'chat',
    about: 'LlamaIndex server of create-llama, which streams',
    path: '/api/chat',
    body: { id: '{{uuid}}', messages: [{ role: 'user', content: '{{question}}' }] },
    reply: {
      answer: 'events[part=0].value',
      contexts: {
        list: 'events[part=8].value[type=sources].data.nodes[]',
        text: 'text',
        title: ['metadata.title', 'metadata.file_name'],
        document: 'metadata.file_name',
        score: 'score',
        missing: 'none',
      },
      error: ['events[part=3].value'],
    },
  },
} as const satisfies Record<string, Preset>

export const PresetName = z.enum(
  Object.keys(OWN_PRESETS) as [keyof typeof OWN_PRESETS, ...(keyof typeof OWN_PRESETS)[]],
)
export type PresetName = z.infer<typeof PresetName>
