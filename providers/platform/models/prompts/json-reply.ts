import type { z } from 'zod'
import { withoutThinking } from '../openai/thinking.ts'

/** A JSON reply as a value: what the model was asked for, or why its text is not that. */
export type JsonReply<Value> =
  | { ok: true; value: Value }
  | { ok: false; code: 'no_json' | 'wrong_shape' | 'cut_off'; message: string }

/** End of the JSON object that opens at `start`, or -1 when it never closes. */
function objectEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') depth += 1
    else if (char === '}' && --depth === 0) return at + 1
  }
  return -1
}

const parseOrUndefined = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The outermost JSON objects in a text, in order; braces that do not hold valid JSON are passed over. */
export function* jsonObjects(text: string): Generator {
  let at = text.indexOf('{')
  // A reply with thousands of unclosed braces would otherwise cost the square of its length.
  for (let tries = 0; at !== -1 && tries < 100; tries += 1) {
    const end = objectEnd(text, at)
    const value = end === -1 ? undefined : parseOrUndefined(text.slice(at, end))
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
