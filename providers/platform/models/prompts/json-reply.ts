import type { z } from 'zod'
import { jsonObjects } from '../../../../core/json.ts'
import { withoutThinking } from '../../../../core/thinking.ts'

/** A JSON reply as a value: what the model was asked for, or why its text is not that. */
export type JsonReply<Value> =
  | { ok: true; value: Value }
  | { ok: false; code: 'no_json' | 'wrong_shape' | 'cut_off'; message: string }

/** Braces without valid JSON that are tried in one reply. */
export const MOST_BRACES = 100

/**
 * Reads the JSON object that a model was asked to reply with. Thinking blocks, code fences and prose around it are
 * ignored; of several objects the last of the right shape counts, because drafts come before what a model settles on.
 */
export function parseJsonReply<Value>(reply: string, shape: z.ZodType<Value>): JsonReply<Value> {
  let problem: string | null = null
  let value: { found: Value } | null = null
  for (const { value: candidate } of jsonObjects(withoutThinking(reply), MOST_BRACES)) {
    const parsed = shape.safeParse(candidate)
    if (parsed.success) value = { found: parsed.data }
    const issue = parsed.error?.issues[0]
    problem = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong shape'}`
  }
  if (value !== null) return { ok: true, value: value.found }
  return problem === null
    ? { ok: false, code: 'no_json', message: 'the reply holds no JSON object' }
    : { ok: false, code: 'wrong_shape', message: problem }
}

/** The items of a list that have the right shape; wrong ones are dropped one by one. */
export function usableItems<Item>(list: readonly unknown[], shape: z.ZodType<Item>): Item[] {
  return list.flatMap((item) => {
    const read = shape.safeParse(item)
    return read.success ? [read.data] : []
  })
}
