import type { z } from 'zod'

/** A JSON reply as a value: what the model was asked for, or why its text is not that. */
export type JsonReply<Value> =
  | { ok: true; value: Value }
  | { ok: false; code: 'no_json' | 'wrong_shape'; message: string }

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
function* jsonObjects(text: string): Generator {
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
 * ignored; of several objects the first of the right shape counts.
 */
export function parseJsonReply<Value>(reply: string, shape: z.ZodType<Value>): JsonReply<Value> {
  const text = reply.replace(/<think>[\s\S]*?<\/think>/g, '')
  let problem: string | null = null
  for (const candidate of jsonObjects(text)) {
    const parsed = shape.safeParse(candidate)
    if (parsed.success) return { ok: true, value: parsed.data }
    const issue = parsed.error.issues[0]
    problem ??= `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong shape'}`
  }
  return problem === null
    ? { ok: false, code: 'no_json', message: 'the reply holds no JSON object' }
    : { ok: false, code: 'wrong_shape', message: problem }
}
