import { z } from 'zod'
import { TokenUsage } from '../evidence/canonical-row.ts'
import { ModelUsage } from '../evidence/model-usage.ts'

/** Describes how a graph query looks for its context; `bypass` asks the model without any. */
export const GraphQueryMode = z.enum(['local', 'global', 'hybrid', 'naive', 'mix', 'bypass'])
export type GraphQueryMode = z.infer<typeof GraphQueryMode>

/** Bounds of a graph query. Lengths in characters, budgets in tokens. */
export const GRAPH_QUERY_LIMITS = {
  minLength: 3,
  query: 32_000,
  keywords: 64,
  keyword: 256,
  topK: 1000,
  budget: 1_000_000,
  messages: 64,
  message: 16_000,
} as const

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Length of a query as the graph engine counts it: a Chinese, Japanese or Korean character is worth two others. */
export function graphQueryLength(query: string): number {
  let length = 0
  for (const character of query) length += CJK.test(character) ? 2 : 1
  return length
}

/** A field that may be null or absent; both mean the default. */
const orDefault = <Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) =>
  schema.nullish().transform((given) => given ?? value)

const count = z.int().min(1).max(GRAPH_QUERY_LIMITS.topK)
const budget = z.int().min(1).max(GRAPH_QUERY_LIMITS.budget)
/** Blank keywords, which some clients send for none, are left out. */
const keywords = z
  .array(z.string().trim().max(GRAPH_QUERY_LIMITS.keyword))
  .max(GRAPH_QUERY_LIMITS.keywords)
  .transform((words) => words.filter((word) => word !== ''))

/** Body of the graph engine's `/query`, `/query/data` and `/query/stream`; unknown fields are ignored there, as its clients expect. */
export const GraphQueryRequest = z
  .object({
    query: z.string().max(GRAPH_QUERY_LIMITS.query).trim(),
    mode: orDefault(GraphQueryMode, 'mix'),
    only_need_context: orDefault(z.boolean(), false),
    only_need_prompt: orDefault(z.boolean(), false),
    response_type: orDefault(z.string().min(1).max(256).nullable(), null),
    /** Entities in local mode, relations in global mode. */
    top_k: orDefault(count, 40),
    /** Text chunks that stay after ranking. */
    chunk_top_k: orDefault(count, 20),
    max_entity_tokens: orDefault(budget, 6000),
    max_relation_tokens: orDefault(budget, 8000),
    /** The whole prompt: instructions, question, entities, relations and chunks. */
    max_total_tokens: orDefault(budget, 30_000),
    /** Tokens of the texts of the prompt alone. Additive: chunks fill what entities and relations leave, whatever `chunk_top_k` and the total are. */
    context_budget: orDefault(budget.nullable(), null),
    hl_keywords: orDefault(keywords, []),
    ll_keywords: orDefault(keywords, []),
    conversation_history: orDefault(
      z
        .array(
          z.object({
            /** Any name, as LightRAG takes it; what a model does not know is read as `user`. */
            role: z
              .string()
              .trim()
              .min(1)
              .max(64)
              .transform((role) => (role === 'assistant' || role === 'system' ? role : 'user')),
            content: z.string().max(GRAPH_QUERY_LIMITS.message),
          }),
        )
        .max(GRAPH_QUERY_LIMITS.messages),
      [],
    ),
    user_prompt: orDefault(z.string().max(GRAPH_QUERY_LIMITS.query).nullable(), null),
    /** Additive: a text in place of the prompt that writes the answer. */
    answer_prompt: orDefault(z.string().max(GRAPH_QUERY_LIMITS.query).nullable(), null),
    enable_rerank: orDefault(z.boolean(), true),
    include_references: orDefault(z.boolean(), true),
    include_chunk_content: orDefault(z.boolean(), false),
    stream: z.boolean().nullish(),
  })
  .superRefine((value, context) => {
    const length = value.mode === 'bypass' ? value.query.length : graphQueryLength(value.query)
    const minimum = value.mode === 'bypass' ? 1 : GRAPH_QUERY_LIMITS.minLength
    if (length >= minimum) return
    context.addIssue({
      code: 'custom',
      path: ['query'],
      message: `Value should have at least ${minimum} characters; a Chinese, Japanese or Korean one counts twice`,
    })
  })
export type GraphQueryRequest = z.infer<typeof GraphQueryRequest>
export type GraphQueryInput = z.input<typeof GraphQueryRequest>

export const GraphReference = z.looseObject({
  reference_id: z.string(),
  file_path: z.string(),
  /** Chunk texts of this file, when they were asked for. */
  content: z.array(z.string()).optional(),
})
export type GraphReference = z.infer<typeof GraphReference>

/** `/query`. Some engines put the answer into `data` instead of `response`. */
export const GraphQueryResponse = z.looseObject({
  response: z.string().optional(),
  data: z.unknown().optional(),
  references: z.array(GraphReference).nullish(),
  response_time: z.number().optional(),
  /** False when no model wrote the text. */
  llm_generated: z.boolean().optional(),
})
export type GraphQueryResponse = z.infer<typeof GraphQueryResponse>

const GraphDataEntity = z.looseObject({
  entity_name: z.string(),
  entity_type: z.string(),
  description: z.string(),
  source_id: z.string(),
  file_path: z.string(),
  reference_id: z.string(),
})

const GraphDataRelationship = z.looseObject({
  src_id: z.string(),
  tgt_id: z.string(),
  description: z.string(),
  keywords: z.string(),
  weight: z.number(),
  source_id: z.string(),
  file_path: z.string(),
  reference_id: z.string(),
})

const GraphDataChunk = z.looseObject({
  content: z.string(),
  file_path: z.string(),
  chunk_id: z.string(),
  reference_id: z.string(),
})

/** Describes what a graph answer was written from; every list in the order of the prompt. */
export const GraphQueryData = z.looseObject({
  entities: z.array(GraphDataEntity),
  relationships: z.array(GraphDataRelationship),
  chunks: z.array(GraphDataChunk),
  references: z.array(GraphReference),
})
export type GraphQueryData = z.infer<typeof GraphQueryData>

/** `/query/data`. */
export const GraphDataResponse = z.looseObject({
  status: z.enum(['success', 'failure']),
  message: z.string(),
  data: GraphQueryData,
  metadata: z.looseObject({
    query_mode: z.string(),
    keywords: z.looseObject({ high_level: z.array(z.string()), low_level: z.array(z.string()) }),
  }),
})
export type GraphDataResponse = z.infer<typeof GraphDataResponse>

/** Describes what a query cost, as the engine measured it: additive to `/query`. */
export const GraphQueryCost = z.strictObject({
  chunks: z.int().min(0),
  llm_calls: z.int().min(0),
  cloud_calls: z.int().min(0),
  usage: TokenUsage.nullable(),
  /** Holds what each model used; rules are left out. Absent from engines that do not report it. */
  models: z.array(ModelUsage).optional(),
})
export type GraphQueryCost = z.infer<typeof GraphQueryCost>
