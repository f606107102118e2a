import { z } from 'zod'
import type { TokenUsage } from '../contract/evidence/canonical-row.ts'
import { Derivation } from '../contract/evidence/derivation.ts'
import { RagExtension, RagSource, ServerMetrics } from '../contract/evidence/rag-extension.ts'
import type { ToolCall } from '../contract/http/chat.ts'

/** A value of the schema's form, or null for anything else: "not reported". */
const reported = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .unknown()
    .transform((value): z.output<Schema> | null => {
      const parsed = schema.safeParse(value)
      return parsed.success ? parsed.data : null
    })
    .prefault(null)

/** No answer takes more; a larger count is a fault, and a sum of such counts could not be stored. */
export const MOST_TOKENS = 1e12

const text = reported(z.string().min(1))
const tokens = z.int().min(0).max(MOST_TOKENS)

/** Services that leave out counts of zero mean zero; without any count there is no report. */
const Usage = z
  .looseObject({
    prompt_tokens: tokens.optional(),
    completion_tokens: tokens.optional(),
    total_tokens: reported(tokens),
  })
  .refine(({ prompt_tokens, completion_tokens }) => prompt_tokens !== undefined || completion_tokens !== undefined)
  .transform(
    ({ prompt_tokens = 0, completion_tokens = 0, total_tokens, ...more }): TokenUsage & Record<string, unknown> => ({
      ...more,
      prompt_tokens,
      completion_tokens,
      total_tokens: total_tokens ?? prompt_tokens + completion_tokens,
    }),
  )

const isReasoning = (type: unknown): boolean => typeof type === 'string' && /^(?:thinking|reasoning)/.test(type)

/** Text, or a list of parts of which the text is read, but for those of reasoning. */
export const Content = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.unknown().optional(), text: z.string().nullish() }))
    .transform((parts) => parts.map(({ type, text }) => (isReasoning(type) ? '' : (text ?? ''))).join('')),
  z.null(),
])

const Call = z
  .looseObject({
    id: text,
    function: z.looseObject({
      name: z.string().min(1),
      /** JSON text in the API; some services send the value itself. */
      arguments: z
        .unknown()
        .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? {})))
        .prefault(null),
    }),
  })
  .transform((call): ToolCall => ({ ...call, id: call.id ?? '', type: 'function' }))

const Choice = z.looseObject({
  index: reported(tokens),
  finish_reason: text,
  message: z.looseObject({ content: Content.optional(), tool_calls: z.array(Call).nullish() }),
})

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined))
    : value

const Source = z.preprocess(withoutNulls, RagSource.extend({ score: z.number().nullable().default(null) }))

/** The evidence extension with nulls for what a plugin does not know. */
const Extension = z.preprocess(
  withoutNulls,
  RagExtension.extend({
    sources: z.array(Source),
    used_passages: reported(z.array(Source)),
    derivations: reported(z.array(Derivation)),
    metrics: ServerMetrics.nullable().default(null),
  }),
)

/**
 * A chat completion as compatible services really send it. Required are one choice with a message and, where there is an evidence extension,
 * its answer and sources; anything else may be missing, null or of another form and is null here, never a failure:
 *
 * - LiteLLM and Azure send null for fields without a value (`tool_calls`, `usage`, `system_fingerprint`, `rag_extension`) and content filters;
 * - Ollama and LM Studio send tool arguments as an object, no `type`, an empty id;
 * - vLLM and llama.cpp send `created` as a fraction or not at all, usage without `total_tokens`, `timings`;
 * - OpenRouter adds `provider` and `native_finish_reason`; Gemini sends no `id` and content in parts.
 */
export const ReceivedCompletion = z.looseObject({
  id: text,
  object: z.unknown().optional(),
  /** Seconds since 1970. */
  created: reported(z.number().transform(Math.floor)),
  model: text,
  choices: z.array(Choice).min(1),
  usage: reported(Usage),
  rag_extension: Extension.nullish(),
})
export type ReceivedCompletion = z.infer<typeof ReceivedCompletion>
