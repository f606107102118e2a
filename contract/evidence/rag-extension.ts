import { z } from 'zod'
import { Derivation } from './derivation.ts'
import { ModelUsage } from './model-usage.ts'

/** One ordered context of an answer. `text`, `document` and the offsets are additive: external plugins may leave them out. */
export const RagSource = z.looseObject({
  title: z.string(),
  /** At most 240 characters of the context. */
  snippet: z.string(),
  /** Null where the approach reports none. */
  score: z.number().nullable(),
  /** The whole context as it appeared in the prompt. */
  text: z.string().optional(),
  /** Document id: its path below the corpus folder. */
  document: z.string().optional(),
  chunk_index: z.int().min(0).optional(),
  start_char: z.int().min(0).optional(),
  end_char: z.int().min(0).optional(),
})
export type RagSource = z.infer<typeof RagSource>

/**
 * Cost of one answer as the plugin measured it. `seconds` is wall time, `chunks` what was in the prompt. The optional fields are there where the
 * models report them: seconds to the first token of the answer; tokens per second of all chat calls after their first tokens; tokens of reasoning,
 * which `usage` contains too; replies that were held to a JSON schema, with how many of them fit it; and what each model used, embeddings included.
 * Models by rules are not counted there.
 */
export const ServerMetrics = z.looseObject({
  seconds: z.number().min(0),
  chunks: z.int().min(0),
  llm_calls: z.int().min(0),
  cloud_calls: z.int().min(0),
  /** The part of these seconds in which the answer only waited for its turn at a model: a service limits its calls, or other calls came first. Absent for none. */
  waited_s: z.number().min(0).optional(),
  first_token_s: z.number().min(0).optional(),
  tokens_per_second: z.number().min(0).optional(),
  reasoning_tokens: z.int().min(1).optional(),
  schema_replies: z.int().min(1).optional(),
  schema_replies_valid: z.int().min(0).optional(),
  model_usage: z.array(ModelUsage).optional(),
  /** Tokens of the text that the answer was written from, whatever it was taken from, and what counted them. */
  context_tokens: z.int().min(0).optional(),
  context_tokens_by: z.string().optional(),
  /** The budget that the answer kept to; absent where none was asked for, or the plugin knows none. */
  context_budget: z.int().min(1).optional(),
  /** True where the answer ended at its limit of tokens. */
  is_cut: z.literal(true).optional(),
})
export type ServerMetrics = z.infer<typeof ServerMetrics>

/**
 * Passages that an answer cites by number, and numbers that no passage had which was handed over. `context` is the position, from 1, of the passage
 * among the contexts of the answer: null where it is not among them, absent in earlier rows.
 */
export const Citations = z.looseObject({
  cited: z.array(z.looseObject({ number: z.int(), title: z.string(), context: z.int().min(1).nullish() })),
  missing: z.array(z.int()),
})
export type Citations = z.infer<typeof Citations>

/** Structured evidence at the top level of a plugin's JSON and SSE responses. */
export const RagExtension = z.looseObject({
  schema_version: z.literal(1),
  answer: z.string(),
  sources: z.array(RagSource),
  metrics: ServerMetrics,
  /**
   * Passages that an engine of its own reports as used for an answer, best first: evidence for the metrics of class `retrieval` alone, never
   * contexts. An approach whose contexts are its sources leaves it out.
   */
  used_passages: z.array(RagSource).optional(),
  /** Holds what made the collections, graph and indexes that were read for the answer, as they record it themselves. */
  derivations: z.array(Derivation).optional(),
  /** Absent where no language model was asked to cite. */
  citations: Citations.optional(),
  adaptive: z.looseObject({ route: z.string(), approach: z.string() }).optional(),
  lazy_graph: z.looseObject({}).optional(),
  /** Holds what a graph answer was written from: mode, query_profile, entities, relations, chunks (counts; null where unknown). */
  graph: z.looseObject({}).optional(),
  /** An agent's tool calls in order: step, tool, arguments, result (counts), error, seconds. */
  trajectory: z.array(z.looseObject({})).optional(),
})
export type RagExtension = z.infer<typeof RagExtension>
