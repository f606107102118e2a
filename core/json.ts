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
