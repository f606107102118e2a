import type { z } from 'zod'
import { jsonIn, objectEnd } from '../../../../core/json.ts'
import { withoutThinking } from '../openai/thinking.ts'

/** A JSON reply as a value: what the model was asked for, or why its text is not that. */
export type JsonReply<Value> =
  | { ok: true; value: Value }
  | { ok: false; code: 'no_json' | 'wrong_shape' | 'cut_off'; message: string }

/** The outermost JSON objects in a text, in order; braces that do not hold valid JSON are passed over. */
export function* jsonObjects(text: string): Generator {
  let at = text.indexOf('{')
  // A reply with thousands of unclosed braces would otherwise cost the square of its length.
  for (let tries = 0; at !== -1 && tries < 100; tries += 1) {
    const end = objectEnd(text, at)
    const value = end === -1 ? undefined : jsonIn(text.slice(at, end))
    if (value !== undefined) yield value
    at = text.indexOf('{', value === undefined ? at + 1 : end)
  }
}

/**
 * Reads the JSON object that a model was asked to reply with. Thinking blocks, code fences and prose around it are
 * ignored; of several objects the last of the right shape counts, because drafts come before what a model settles on.
 */
export function parseJsonReply<Value>(reply: string, shape: z.ZodType<Value>): JsonReply<Value> {
  let problem: string | null = null
  let value: { found: Value } | null = null
  for (const candidate of jsonObjects(withoutThinking(reply))) {
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
