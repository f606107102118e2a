// Reads a list of calls written as Python, as Llama writes them: `[search(query="lock", limit=2), today()]`.

/** Deeper values are no arguments of a tool. */
const MOST_DEPTH = 32
const NAMES: Readonly<Record<string, unknown>> = { True: true, False: false, None: null }
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' }

/** Ends the reading of a text that is no list of calls. */
class NotCalls extends Error {}

/** The calls of a list with their named arguments; none where the text is anything else. */
export function pythonCalls(text: string): [name: string, given: Record<string, unknown>][] {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const sticky = new RegExp(`\\s*(?:${pattern.source})`, 'ys')
    sticky.lastIndex = at
    const found = sticky.exec(text)
    if (found !== null) at = sticky.lastIndex
    return found
  }
  const need = (pattern: RegExp): RegExpExecArray => {
    const found = take(pattern)
    if (found === null) throw new NotCalls()
    return found
  }
  /** Entries up to the closing bracket; a comma may follow the last one. */
  const entries = <Entry>(close: RegExp, entry: () => Entry): Entry[] => {
    const found: Entry[] = []
    while (take(close) === null) {
      if (found.length > 0) need(/,/)
      if (found.length > 0 && take(close) !== null) break
      found.push(entry())
    }
    return found
  }
  const value = (depth = 0): unknown => {
    if (depth > MOST_DEPTH) throw new NotCalls()
    const inner = (): unknown => value(depth + 1)
    const string = take(/'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/)
    if (string !== null) return unescaped(string[1] ?? string[2]!)
    const number = take(/([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])/)
    if (number !== null) return Number(number[1])
    const name = take(/(True|False|None)(?!\w)/)
    if (name !== null) return NAMES[name[1]!]
    if (take(/\[/) !== null) return entries(/\]/, inner)
    if (take(/\(/) !== null) return entries(/\)/, inner)
    need(/\{/)
    return Object.fromEntries(entries(/\}/, () => [String(inner()), (need(/:/), inner())]))
  }
  const call = (): [string, Record<string, unknown>] => {
    const name = need(/([A-Za-z_][\w.-]*)\s*\(/)[1]!
    return [name, Object.fromEntries(entries(/\)/, () => [need(/([A-Za-z_]\w*)\s*=/)[1]!, value()]))]
  }
  try {
    need(/\[/)
    const calls = entries(/\]/, call)
    need(/$/)
    return calls
  } catch (error) {
    if (error instanceof NotCalls) return []
    throw error
  }
}

const unescaped = (text: string): string =>
  text.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/gs, (_, long?: string, short?: string, character = '') => {
    const code = long ?? short
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return (
      ESCAPES[character as string] ??
      (/[\\'"]/.test(character as string) ? (character as string) : `\\${character as string}`)
    )
  })
