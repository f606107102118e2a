import { ExpressionError, tokensOf } from './tokens.ts'
import type { Token } from './tokens.ts'

/** An expression as a tree. */
export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'name'; name: string }
  | { kind: 'object'; entries: { key: string; value: Expression }[] }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'member'; of: Expression; key: string | number; optional: boolean }
  | { kind: 'call'; callee: Expression; arguments: Expression[] }
  | { kind: 'sum'; left: Expression; right: Expression }
  | { kind: 'fallback'; left: Expression; right: Expression }

const DEEPEST = 64
const LONGEST = 64 * 1024
const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/**
 * Reads the subset of n8n's expression language that this engine has: literals, `{…}` and `[…]`, members by `.name`, `?.name`, `["name"]`
 * and `[0]`, calls, `+`, `??` and parentheses. Throws `ExpressionError`.
 */
export function parseExpression(source: string): Expression {
  if (source.length > LONGEST) throw new ExpressionError('the expression is too long')
  const parser = new Parser(tokensOf(source))
  return parser.whole()
}

class Parser {
  private readonly tokens: readonly Token[]
  private at = 0
  private depth = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  whole(): Expression {
    const expression = this.expression()
    if (this.tokens[this.at]!.kind !== 'end') throw this.unexpected()
    return expression
  }

  private expression(): Expression {
    this.depth += 1
    if (this.depth > DEEPEST) throw new ExpressionError('the expression is nested too deeply')
    let left = this.sum()
    while (this.accept('??')) left = { kind: 'fallback', left, right: this.sum() }
    this.depth -= 1
    return left
  }

  private sum(): Expression {
    let left = this.postfix()
    while (this.accept('+')) left = { kind: 'sum', left, right: this.postfix() }
    return left
  }

  private postfix(): Expression {
    let of = this.primary()
    for (;;) {
      if (this.accept('.')) of = { kind: 'member', of, key: this.name(), optional: false }
      else if (this.accept('?.')) of = { kind: 'member', of, key: this.name(), optional: true }
      else if (this.accept('[')) {
        of = { kind: 'member', of, key: this.literalKey(), optional: false }
        this.expect(']')
      } else if (this.accept('(')) of = { kind: 'call', callee: of, arguments: this.list(')') }
      else return of
    }
  }

  private primary(): Expression {
    const token = this.next()
    if (token.kind === 'literal') return { kind: 'literal', value: token.value }
    if (token.kind === 'name') {
      const constant = Object.hasOwn(CONSTANTS, token.text) ? CONSTANTS[token.text] : undefined
      return constant === undefined ? { kind: 'name', name: token.text } : { kind: 'literal', value: constant }
    }
    if (token.kind === 'punctuation') {
      if (token.text === '{') return { kind: 'object', entries: this.entries() }
      if (token.text === '[') return { kind: 'list', items: this.list(']') }
      if (token.text === '(') {
        const inner = this.expression()
        this.expect(')')
        return inner
      }
    }
    this.at -= 1
    throw this.unexpected()
  }

  /** What follows up to the closing mark, separated by commas. */
  private list(close: string): Expression[] {
    const items: Expression[] = []
    while (!this.accept(close)) {
      if (items.length > 0) {
        this.expect(',')
        if (this.accept(close)) break
      }
      items.push(this.expression())
    }
    return items
  }

  private entries(): { key: string; value: Expression }[] {
    const entries: { key: string; value: Expression }[] = []
    while (!this.accept('}')) {
      if (entries.length > 0) {
        this.expect(',')
        if (this.accept('}')) break
      }
      const key = this.entryKey()
      this.expect(':')
      entries.push({ key, value: this.expression() })
    }
    return entries
  }

  private entryKey(): string {
    const token = this.next()
    if (token.kind === 'name') return token.text
    if (token.kind === 'literal') return String(token.value)
    throw this.unexpected()
  }

  private literalKey(): string | number {
    const token = this.next()
    if (token.kind === 'literal') return token.value
    throw this.unexpected()
  }

  private name(): string {
    const token = this.next()
    if (token.kind === 'name') return token.text
    throw this.unexpected()
  }

  private next(): Token {
    const token = this.tokens[this.at]!
    if (token.kind === 'end') throw this.unexpected()
    this.at += 1
    return token
  }

  private accept(text: string): boolean {
    const token = this.tokens[this.at]!
    if (token.kind !== 'punctuation' || token.text !== text) return false
    this.at += 1
    return true
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`'${text}' was expected`)
  }

  private unexpected(detail = 'unsupported expression'): ExpressionError {
    return new ExpressionError(`at ${this.tokens[this.at]!.at}: ${detail}`)
  }
}
