import { z } from 'zod'
import { count } from '../common.ts'

/**
 * Describes what calls used of one model, in tokens. Attempts that its service refused count as calls. `unreported` of the calls returned no counts, as
 * failed ones do: the sums are a lower bound then. The model is null for calls of another program that does not name it. Rules are not models here:
 * they use nothing that is paid for.
 */
export const ModelUsage = z.strictObject({
  model: z.string().nullable(),
  /** Calls leave this machine and are paid for. */
  cloud: z.boolean(),
  calls: z.int().min(1),
  unreported: count,
  input_tokens: count,
  output_tokens: count,
  /** Of the calls, those whose tokens are estimated, because the service reports none; absent where it reported all. */
  estimated: z.int().min(1).optional(),
  /** Of the input tokens, those that the service read from its prompt cache; absent where no call reported any. */
  cached_input_tokens: z.int().min(1).optional(),
})
export type ModelUsage = z.infer<typeof ModelUsage>

/** Usages of several answers or calls as one list, a line for each model, in the order of their first calls. */
export function joinedUsage(usages: Iterable<ModelUsage>): ModelUsage[] {
  const joined = new Map<string, ModelUsage>()
  for (const usage of usages) {
    const key = JSON.stringify([usage.model, usage.cloud])
    const before = joined.get(key)
    joined.set(
      key,
      before === undefined
        ? usage
        : {
            ...before,
            calls: before.calls + usage.calls,
            unreported: before.unreported + usage.unreported,
            input_tokens: before.input_tokens + usage.input_tokens,
            output_tokens: before.output_tokens + usage.output_tokens,
            ...cached((before.cached_input_tokens ?? 0) + (usage.cached_input_tokens ?? 0)),
            ...estimated((before.estimated ?? 0) + (usage.estimated ?? 0)),
          },
    )
  }
  return [...joined.values()]
}

const estimated = (calls: number) => (calls === 0 ? {} : { estimated: calls })
const cached = (tokens: number) => (tokens === 0 ? {} : { cached_input_tokens: tokens })

/** Services report it in their own words: OpenAI's, which most others use; DeepSeek's; and Anthropic's. */
const CachedTokens = z.union([
  z
    .looseObject({ prompt_tokens_details: z.looseObject({ cached_tokens: count }) })
    .transform((usage) => usage.prompt_tokens_details.cached_tokens),
  z.looseObject({ prompt_cache_hit_tokens: count }).transform((usage) => usage.prompt_cache_hit_tokens),
  z.looseObject({ cache_read_input_tokens: count }).transform((usage) => usage.cache_read_input_tokens),
])

const cachedTokens = (usage: unknown): number => CachedTokens.safeParse(usage).data ?? 0

/** The usage of a call whose service reports none, counted here; it is marked wherever it is shown. */
export const estimatedUsage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  estimated: true,
})
/** The usage of a call for vectors of texts. */
export const usageOfTexts = (tokens: number, { isEstimated }: { isEstimated: boolean } = { isEstimated: false }) =>
  isEstimated ? estimatedUsage(tokens, 0) : { prompt_tokens: tokens, completion_tokens: 0 }
const isEstimated = (usage: unknown): boolean => z.looseObject({ estimated: z.literal(true) }).safeParse(usage).success

/** One call of a model; null where its tokens are not known. */
export const usageOfCall = (
  model: string | null,
  cloud: boolean,
  tokens: { prompt_tokens: number; completion_tokens: number } | null,
): ModelUsage => ({
  model,
  cloud,
  calls: 1,
  unreported: tokens === null ? 1 : 0,
  input_tokens: tokens?.prompt_tokens ?? 0,
  output_tokens: tokens?.completion_tokens ?? 0,
  ...cached(cachedTokens(tokens)),
  ...estimated(isEstimated(tokens) ? 1 : 0),
})
