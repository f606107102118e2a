import { type Expression, parseExpression } from './parse.ts'
import { ExpressionError } from './tokens.ts'

/** Describes what an expression may read. */
interface ExpressionScope {
  /** Data of the item at hand. */
  json: unknown
  /** Data of the item that the named node made on the way to this one; undefined when the way did not lead through it. */
  nodeJson(name: string): unknown
  /** The values that the host offers as `$env`; nothing of the process itself. */
  env: Readonly<Record<string, string>>
}

/** A method of text was called on a value that is none. `path` is how the expression reads it, such as `$json.body.query`. */
export class NotTextError extends ExpressionError {
  readonly path: string

  constructor(path: string, missing: boolean) {
    super(missing ? `${path} is missing` : `${path} is not a string`)
    this.path = path
  }
}

function pathOf(expression: Expression): string {
  if (expression.kind === 'name') return expression.name
  if (expression.kind === 'member') return `${pathOf(expression.of)}.${expression.key}`
  return 'a value'
}

const LONGEST_TEXT = 16 * 1024 * 1024

/**
 * The value of an expression. Names: `$json`, `$env`, `$('Node').item.json`, `JSON.stringify`; text has `replaceAll(a, b)`. Only data of its
 * own can be reached from a value. Throws `ExpressionError`.
 */
function evaluate(expression: Expression, scope: ExpressionScope): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'name':
      return global(expression.name, scope)
    case 'object':
      return Object.fromEntries(expression.entries.map(({ key, value }) => [key, evaluate(value, scope)]))
    case 'member':
      return member(expression, scope)
    case 'call':
      return call(expression, scope)
    case 'sum':
      return sum(evaluate(expression.left, scope), evaluate(expression.right, scope))
    case 'fallback':
      return evaluate(expression.left, scope) ?? evaluate(expression.right, scope)
  }
}

function global(name: string, { json, env }: ExpressionScope): unknown {
  if (name === '$json') return json
  if (name === '$env') return env
  throw new ExpressionError(`'${name}' is not supported`)
}

function member({ of, key }: Extract<Expression, { kind: 'member' }>, scope: ExpressionScope): unknown {
  const value = evaluate(of, scope)
  if (value === null || value === undefined) throw new ExpressionError(`cannot read '${key}' of a missing value`)
  const isOwn = typeof value === 'object' && Object.hasOwn(value, key)
  return isOwn ? (value as Record<string | number, unknown>)[key] : undefined
}

function sum(left: unknown, right: unknown): string {
  const text = asText(left) + asText(right)
  if (text.length > LONGEST_TEXT) throw new ExpressionError('the text is too long')
  return text
}

/** A value inside a text. Objects and missing values are refused: "[object Object]" and "undefined" carry no information. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ExpressionError(value === undefined || value === null ? 'a value is missing' : 'a text was expected')
}

function call({ callee, arguments: given }: Extract<Expression, { kind: 'call' }>, scope: ExpressionScope): unknown {
  const values = given.map((argument) => evaluate(argument, scope))
  if (callee.kind === 'name' && callee.name === '$') return nodeHandle(values, scope)
  if (callee.kind !== 'member') throw new ExpressionError('only methods can be called')
  if (callee.of.kind === 'name' && callee.of.name === 'JSON' && callee.key === 'stringify') {
    if (values.length === 0) throw new ExpressionError('JSON.stringify needs a value')
    return JSON.stringify(values[0])
  }
  const subject = evaluate(callee.of, scope)
  if (typeof subject !== 'string') throw new NotTextError(pathOf(callee.of), subject === undefined || subject === null)
  if (callee.key !== 'replaceAll') throw new ExpressionError(`'${callee.key}' is not supported`)
  return replaced(subject, values)
}

function replaced(subject: string, [from, to]: readonly unknown[]): string {
  if (typeof from !== 'string' || typeof to !== 'string' || from === '')
    throw new ExpressionError('replaceAll needs two strings')
  const text = subject.split(from).join(to)
  if (text.length > LONGEST_TEXT) throw new ExpressionError('the text is too long')
  return text
}

/** The value of `$('Node')`. */
function nodeHandle([name, ...more]: readonly unknown[], scope: ExpressionScope): { item: { json: unknown } } {
  if (typeof name !== 'string' || more.length > 0) throw new ExpressionError("$('…') takes the name of a node")
  const json = scope.nodeJson(name)
  if (json === undefined) throw new ExpressionError(`this item did not pass through the node '${name}'`)
  return { item: { json } }
}

/** A node parameter, read once at import and evaluated at each run. */
export type Template = (scope: ExpressionScope) => unknown

const MARKED = /\{\{([\s\S]*?)\}\}/g

/**
 * A parameter's value: what does not begin with `=` is literal; after `=`, each `{{ … }}` is an expression up to the first `}}`. A
 * parameter that is one expression keeps its type, others are text. Throws `ExpressionError` for what the subset does not know.
 */
export function compileTemplate(parameter: unknown): Template {
  if (typeof parameter !== 'string' || !parameter.startsWith('=')) return () => parameter
  const source = parameter.slice(1)
  const parts: (string | Expression)[] = []
  let end = 0
  for (const match of source.matchAll(MARKED)) {
    if (match.index > end) parts.push(source.slice(end, match.index))
    parts.push(parseExpression(match[1]!))
    end = match.index + match[0].length
  }
  const rest = source.slice(end)
  if (rest.includes('{{')) throw new ExpressionError("'{{' without '}}'")
  if (rest !== '') parts.push(rest)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return (scope) => evaluate(only, scope)
  return (scope) => parts.map((part) => (typeof part === 'string' ? part : asText(evaluate(part, scope)))).join('')
}
