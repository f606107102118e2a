/** JSON text → value. Python evaluators print bare NaN and Infinity: they become numbers here, so that the metric can be named. */
export function parseLenientJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return parseWithBareNumbers(text)
  }
}

const MARK = '\u0000bare-number:'

function parseWithBareNumbers(text: string): { ok: true; value: unknown } | { ok: false } {
  // Strings are matched first and kept, so that a NaN inside a text stays text.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(MARK + token),
  )
  try {
    const revive = (_key: string, value: unknown): unknown =>
      typeof value === 'string' && value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value
    return { ok: true, value: JSON.parse(marked, revive) as unknown }
  } catch {
    return { ok: false }
  }
}
