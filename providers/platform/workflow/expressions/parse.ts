import { ExpressionError, tokensOf } from './tokens.ts'
import type { Token } from './tokens.ts'

/** An expression as a tree. */
export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'name'; name: string }
  | { kind: 'object'; entries: { key: string; value: Expression }[] }
  | { kind: 'member'; of: Expression; key: string | number }
  | { kind: 'call'; callee: Expression; arguments: Expression[] }
  | { kind: 'sum'; left: Expression; right: Expression }
  | { kind: 'fallback'; left: Expression; right: Expression }

const DEEPEST = 64
const LONGEST = 64 * 1024
const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/**
 * Reads what the adaptive workflow needs of n8n's expression language: literals, `{…}`, members by `.name`, `["name"]` and `[0]`, calls, `+`
 * between texts and `??`. Throws `ExpressionError`.
 */
export function parseExpression(source: string): Expression {
  if (source.length > LONGEST) throw new ExpressionError('the expression is too long')
  const tokens = tokensOf(source)
  let at = 0
  let depth = 0

  const unexpected = (detail = 'unsupported expression'): ExpressionError =>
    new ExpressionError(`at ${tokens[at]!.at}: ${detail}`)
  const accept = (text: string): boolean => {
    const token = tokens[at]!
    if (token.kind !== 'punctuation' || token.text !== text) return false
    at += 1
    return true
  }
  const expect = (text: string): void => {
    if (!accept(text)) throw unexpected(`'${text}' was expected`)
  }
  /** The next token, which must be one of these kinds. */
  const next = <Kind extends Token['kind']>(...kinds: Kind[]): Extract<Token, { kind: Kind }> => {
    const token = tokens[at]!
    if (!kinds.some((kind) => kind === token.kind)) throw unexpected()
    at += 1
    return token as Extract<Token, { kind: Kind }>
  }
  /** Returns what follows up to the closing mark, separated by commas; one may follow the last. */
  const list = <Part>(close: string, part: () => Part): Part[] => {
    const parts: Part[] = []
    while (!accept(close)) {
      if (parts.length > 0) {
        expect(',')
        if (accept(close)) break
      }
      parts.push(part())
    }
    return parts
  }

  const expression = (): Expression => {
    depth += 1
    if (depth > DEEPEST) throw new ExpressionError('the expression is nested too deeply')
    let left = sum()
    while (accept('??')) left = { kind: 'fallback', left, right: sum() }
    depth -= 1
    return left
  }
  const sum = (): Expression => {
    let left = postfix()
    while (accept('+')) left = { kind: 'sum', left, right: postfix() }
    return left
  }
  const postfix = (): Expression => {
    let of = primary()
    for (;;) {
      if (accept('.')) of = { kind: 'member', of, key: next('name').text }
      else if (accept('[')) {
        of = { kind: 'member', of, key: next('literal').value }
        expect(']')
      } else if (accept('(')) of = { kind: 'call', callee: of, arguments: list(')', expression) }
      else return of
    }
  }
  const primary = (): Expression => {
    if (accept('{')) return { kind: 'object', entries: list('}', entry) }
    const token = next('literal', 'name')
    if (token.kind === 'literal') return { kind: 'literal', value: token.value }
    const constant = Object.hasOwn(CONSTANTS, token.text) ? CONSTANTS[token.text] : undefined
    return constant === undefined ? { kind: 'name', name: token.text } : { kind: 'literal', value: constant }
  }
  const entry = (): { key: string; value: Expression } => {
    const token = next('name', 'literal')
    expect(':')
    return { key: token.kind === 'name' ? token.text : String(token.value), value: expression() }
  }

  const whole = expression()
  if (tokens[at]!.kind !== 'end') throw unexpected()
  return whole
}
