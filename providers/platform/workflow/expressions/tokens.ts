/** A lexical unit of an expression; `at` is its place in it. */
export type Token =
  | { kind: 'name'; text: string; at: number }
  | { kind: 'punctuation'; text: string; at: number }
  | { kind: 'literal'; value: string | number; at: number }
  | { kind: 'end'; at: number }

/** An expression that the subset does not know or that cannot be evaluated. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

const SPACE = /\s+/y
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const NUMBER = /\d+(?:\.\d+)?/y
const PUNCTUATION = /\?\?|[.,:+(){}[\]]/y
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/suy

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' }

/** The value of a quoted string; unknown escapes mean the character itself, as in JavaScript. */
function unquoted(source: string): string {
  return source
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_match, code: string | undefined, character: string | undefined) =>
      code === undefined ? (ESCAPES[character!] ?? character!) : String.fromCharCode(Number.parseInt(code, 16)),
    )
}

/** Cuts an expression into tokens. Throws `ExpressionError`. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0] ?? null
  }
  while (at < source.length) {
    const space = take(SPACE)
    const name = take(NAME)
    const number = take(NUMBER)
    const string = take(STRING)
    const punctuation = take(PUNCTUATION)
    const text = space ?? name ?? number ?? string ?? punctuation
    if (text === null) throw new ExpressionError(`unexpected character at ${at}: ${source.slice(at, at + 12)}`)
    if (name !== null) tokens.push({ kind: 'name', text, at })
    else if (number !== null) tokens.push({ kind: 'literal', value: Number(text), at })
    else if (string !== null) tokens.push({ kind: 'literal', value: unquoted(text), at })
    else if (punctuation !== null) tokens.push({ kind: 'punctuation', text, at })
    at += text.length
  }
  return [...tokens, { kind: 'end', at }]
}
