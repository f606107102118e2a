/** The value of a JSON text, to be validated; undefined, which no schema accepts, when the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True for an object with fields: no list, not null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The message of what was thrown, whatever it is. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** End of the JSON object that opens at `start` of a text, or -1 when it never closes. */
export function objectEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth += 1
    else if (character === '}' && --depth === 0) return at + 1
  }
  return -1
}

/** The beginning that every JSON object has. What begins otherwise is passed over before its end is looked for. */
const OBJECT_START = /\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)/y

/**
 * The outermost JSON objects in a text, in order; braces that do not hold valid JSON are passed over. `mostBraces` limits how many of those are
 * tried: a text with thousands of them would otherwise cost the square of its length.
 */
export function* jsonObjects(
  text: string,
  mostBraces = Infinity,
): Generator<{ value: Record<string, unknown>; start: number; end: number }> {
  let braces = 0
  for (let start = text.indexOf('{'); start !== -1 && braces < mostBraces;) {
    OBJECT_START.lastIndex = start
    const end = OBJECT_START.test(text) ? objectEnd(text, start) : -1
    const value = end === -1 ? undefined : jsonIn(text.slice(start, end))
    if (isRecord(value)) yield { value, start, end }
    else braces += 1
    start = text.indexOf('{', isRecord(value) ? end : start + 1)
  }
}
