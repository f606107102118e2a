import { z } from 'zod'

const count = z.int().min(0)

/**
 * What calls used of one model, in tokens. `unreported` of the calls returned no counts, as failed ones do: the sums are a lower bound then. The model is
 * null for calls of another program that does not name it. Rules are no models here: they use nothing that is paid for.
 */
export const ModelUsage = z.strictObject({
  model: z.string().nullable(),
  /** Calls leave this machine and are paid for. */
  cloud: z.boolean(),
  calls: z.int().min(1),
  unreported: count,
  input_tokens: count,
  output_tokens: count,
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
          },
    )
  }
  return [...joined.values()]
}

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
})
